"""What of the documents will not be shown to workers, on the wire."""

from collections.abc import Iterable

from pydantic import BaseModel, Field

FIRST = 3
"""How many documents are named as examples."""


class OmissionOut(BaseModel):
    """Something in documents that no worker will see."""

    what: str = Field(description="in words, such as `audio and video`")
    why: str
    count: int = Field(description="how many of it there are")
    documents: int = Field(description="in how many documents")
    first: list[str] = Field(description="the first of these documents, by their ids")

    def warning(self) -> str:
        """Say it in one line.

        >>> told = OmissionOut(what="frames", why="none is", count=4, documents=1, first=["d1"])
        >>> told.warning()
        'not shown: frames, 4 in 1 document (d1): none is'
        """
        more = ", …" if self.documents > len(self.first) else ""
        noun = "document" if self.documents == 1 else "documents"
        return (
            f"not shown: {self.what}, {self.count:,} in {self.documents:,} {noun}"
            f" ({', '.join(self.first)}{more}): {self.why}"
        )


def merged(omissions: Iterable[OmissionOut]) -> list[OmissionOut]:
    """Add up what is said of several topics, or of several documents."""
    found: dict[str, OmissionOut] = {}
    for one in omissions:
        before = found.get(one.what)
        found[one.what] = one if before is None else _sum(before, one)
    return list(found.values())


def _sum(one: OmissionOut, other: OmissionOut) -> OmissionOut:
    return one.model_copy(
        update={
            "count": one.count + other.count,
            "documents": one.documents + other.documents,
            "first": [*one.first, *other.first][:FIRST],
        }
    )


def within(topic: str, omissions: Iterable[OmissionOut]) -> list[OmissionOut]:
    """Name the documents with their topic, where several topics are told of."""
    return [
        one.model_copy(update={"first": [f"{topic}/{name}" for name in one.first]})
        for one in omissions
    ]
