"""Topics while they are being parsed, before they are validated."""

from dataclasses import dataclass, field

from nextpair.app.formats.files import BadFile


@dataclass(frozen=True, slots=True)
class TopicDraft:
    """The location of a topic, and the text of each of its fields so far."""

    where: str
    fields: dict[str, str] = field(default_factory=dict)

    def open(self, where: str, name: str) -> None:
        """Begin a field; each field may occur once."""
        if name in self.fields:
            raise BadFile(f"{where}: the topic has a second <{name}>")
        self.fields[name] = ""

    def add(self, name: str | None, text: str) -> None:
        """Append text to a field; text outside of fields is dropped."""
        if name is not None:
            self.fields[name] += text
