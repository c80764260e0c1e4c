"""A study written for this package: four everyday questions, their answers, and true grades.

`bm25` in the answers is the BM25 score (k1 = 1.2, b = 0.75) of title and text for the question and
its description among all answers; `length` is the number of words.
"""

from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import TypeVar

from nextpair.app.formats.documents import read_documents
from nextpair.app.formats.merged_pools import merge_pools
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.trec import Grades, read_qrels
from nextpair.app.formats.trec_topics import read_topics

Read = TypeVar("Read")


def load_example() -> tuple[list[Pool], Grades]:
    """Return the pools, and the grade from 0 to 4 of each answer, for simulated workers only."""
    topics = _read("topics.xml", read_topics)
    answers = _read("answers.jsonl", lambda path: [*read_documents(path)])
    pools, _ = merge_pools(topics, documents=answers)
    return pools, _read("grades.qrels", read_qrels)


def _read(name: str, reader: Callable[[Path], Read]) -> Read:
    with as_file(files(__name__) / name) as path:
        return reader(path)
