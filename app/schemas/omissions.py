"""Schema of omissions: parts of documents that workers will not see."""

from collections.abc import Iterable

from pydantic import BaseModel, Field

MAX_EXAMPLES = 3
"""The most documents that are named as examples."""


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


def merge_omissions(omissions: Iterable[OmissionOut]) -> list[OmissionOut]:
    """Merge the omissions of several documents or topics, by their kind."""
    by_kind: dict[str, OmissionOut] = {}
    for omission in omissions:
        before = by_kind.get(omission.what)
        by_kind[omission.what] = omission if before is None else _sum(before, omission)
    return list(by_kind.values())


def _sum(first: OmissionOut, second: OmissionOut) -> OmissionOut:
    return first.model_copy(
        update={
            "count": first.count + second.count,
            "documents": first.documents + second.documents,
            "first": [*first.first, *second.first][:MAX_EXAMPLES],
        }
    )


def qualify_with_topic(topic: str, omissions: Iterable[OmissionOut]) -> list[OmissionOut]:
    """Prefix the names of documents with their topic, where several topics are listed."""
    return [
        omission.model_copy(update={"first": [f"{topic}/{name}" for name in omission.first]})
        for omission in omissions
    ]
