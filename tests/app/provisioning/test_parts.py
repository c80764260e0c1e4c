"""What is written in one transaction each: everything in its order, and little at a time."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.provisioning import parts as divided
from nextpair.app.provisioning.parts import Draft, parts
from nextpair.app.provisioning.setup import NewTopic
from nextpair.storage.rows import DocumentRow


def draft(number: int, lengths: list[int]) -> Draft:
    documents = [
        DocumentRow(place, f"d{place}", "", "ö" * length, None, None, None, None)
        for place, length in enumerate(lengths)
    ]
    return Draft(NewTopic(f"t{number}", "", "", "", None, documents), "")


@given(st.lists(st.lists(st.integers(0, 300), max_size=8), max_size=6))
def test_parts_are_small_and_together_all_there_is(sizes: list[list[int]]) -> None:
    drafts = [draft(number, lengths) for number, lengths in enumerate(sizes)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(divided, "PART_BYTES", 400)
        patched.setattr(divided, "PART_ROWS", 4)
        made = [*parts(drafts)]
    rows = [(one, documents) for part in made for one, documents in part.pieces]
    for one, again in zip(drafts, groupby(rows, key=lambda row: row[0]), strict=True):
        name, of_topic = again
        assert name is one
        assert [document for _, some in of_topic for document in some] == one.new.documents
    for part in made:
        written = [document for _, documents in part.pieces for document in documents]
        assert part.rows <= 4
        assert len(written) <= 1 or sum(len(one.text.encode()) for one in written) <= 400
