"""Reads topics in XML with expat: a DOCTYPE is refused, so no entity is expanded or fetched."""

from collections.abc import Iterator, Mapping
from xml.parsers import expat

from nextpair.app.formats.files import BadFile, FileSource, read_all_lines
from nextpair.app.formats.topic_drafts import TopicDraft

FIELDS = frozenset(
    ["num", "number", "title", "query", "description", "desc", "question", "narrative", "narr"]
)


def read_xml_drafts(path: FileSource) -> Iterator[TopicDraft]:
    """Yield each `<topic>`; its number is an attribute or an element."""
    topics = _TopicHandler(path)
    try:
        for _, line in read_all_lines(path):
            topics.parser.Parse(line)
            yield from topics.take()
        topics.parser.Parse("", True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise BadFile(f"{path}:{error.lineno}: not well-formed XML: {reason}") from error
    yield from topics.take()


class _TopicHandler:
    """The callbacks of the expat parser."""

    def __init__(self, path: FileSource) -> None:
        self._file = path
        self._depth = self._topic_depth = 0
        self._draft: TopicDraft | None = None
        self._field: str | None = None
        self._done: list[TopicDraft] = []
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text

    def take(self) -> list[TopicDraft]:
        done, self._done = self._done, []
        return done

    def _where(self) -> str:
        # Not the line fed last: expat may buffer a part of it.
        return f"{self._file}:{self.parser.CurrentLineNumber}"

    def _refuse(self, *_: object) -> None:
        raise BadFile(f"{self._where()}: topics in XML may have no DOCTYPE, and no entities of it")

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        name = tag.lower()
        if self._draft is None and name == "topic":
            number = attributes.get("number", attributes.get("id"))
            self._draft = TopicDraft(self._where(), {} if number is None else {"num": number})
            self._topic_depth = self._depth
        elif self._draft and self._depth == self._topic_depth + 1 and name in FIELDS:
            self._draft.open(self._where(), name)
            self._field = name

    def _end(self, _: str) -> None:
        if self._draft and self._depth == self._topic_depth:
            self._done.append(self._draft)
            self._draft = None
        if self._depth == self._topic_depth + 1:
            self._field = None
        self._depth -= 1

    def _text(self, text: str) -> None:
        if self._draft:
            self._draft.add(self._field, text)
