"""Topics as they are being read, before it is known whether they are complete."""

from dataclasses import dataclass, field

from nextpair.app.formats.files import BadFile


@dataclass(frozen=True, slots=True)
class TopicDraft:
    """Where a topic begins, and the text of each of its fields as far as it has been read."""

    where: str
    fields: dict[str, str] = field(default_factory=dict)

    def open(self, where: str, name: str) -> None:
        """Begin a field, which a topic has once."""
        if name in self.fields:
            raise BadFile(f"{where}: the topic has a second <{name}>")
        self.fields[name] = ""

    def add(self, name: str | None, text: str) -> None:
        """Add to a field; text in none is dropped."""
        if name is not None:
            self.fields[name] += text
