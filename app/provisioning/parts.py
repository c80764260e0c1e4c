"""Topics to be stored, divided into what is written in one transaction each."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field

from nextpair.app.provisioning.setup import NewTopic, fingerprint
from nextpair.app.settings import MB
from nextpair.storage.rows import DocumentRow

PART_BYTES = MB
PART_ROWS = 200
"""What is written in one transaction, at most: it takes about as long as a judgment."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A topic to be stored, and what its content is known by."""

    new: NewTopic
    fingerprint: str

    @property
    def name(self) -> str:
        """Its name."""
        return self.new.name


def content_of(new: NewTopic) -> str:
    """Return a short text that is the same exactly for topics of the same content."""
    head: list[object] = [new.name, new.title, new.description, new.narrative, new.seed]
    # Only where there is one: topics that have none keep the fingerprint they always had.
    head += [] if new.understanding is None else [dict(new.understanding)]
    digest = hashlib.sha256(fingerprint(*head).encode())
    # One document at a time: a large pool is not held as text a second time.
    for document in new.documents:
        digest.update(fingerprint(asdict(document)).encode())
    return digest.hexdigest()


@dataclass(slots=True)
class UploadPart:
    """What is written in one transaction: documents of some topics."""

    pieces: list[tuple[Draft, list[DocumentRow]]] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0

    def has_room(self, size: int) -> bool:
        """Say whether a row of some bytes fits in; one alone always does."""
        return self.rows < PART_ROWS and (not self.bytes or self.bytes + size <= PART_BYTES)

    def add(self, draft: Draft, document: DocumentRow | None, size: int) -> None:
        """Add a topic or a document of it."""
        if not self.pieces or self.pieces[-1][0] is not draft:
            self.pieces.append((draft, []))
        if document is not None:
            self.pieces[-1][1].append(document)
        self.rows, self.bytes = self.rows + 1, self.bytes + size


def parts(drafts: Sequence[Draft]) -> Iterator[UploadPart]:
    """Divide topics into what is written in one transaction each."""
    part = UploadPart()
    for draft in drafts:
        for document in (None, *draft.new.documents):
            size = _head_size(draft.new) if document is None else _size(document)
            if not part.has_room(size):
                yield part
                part = UploadPart()
            part.add(draft, document, size)
    if part.rows:
        yield part


def _head_size(new: NewTopic) -> int:
    return sum(_bytes(text) for text in (new.name, new.title, new.description, new.narrative))


def _size(document: DocumentRow) -> int:
    texts = (document.name, document.title, document.text, document.html or "", document.url or "")
    return sum(_bytes(text) for text in texts) + 50 * len(document.features or ())


def _bytes(text: str) -> int:
    # An upper bound, without writing it out.
    return len(text) if text.isascii() else 4 * len(text)
