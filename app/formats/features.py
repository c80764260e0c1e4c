"""Reads features of documents from CSV tables, or from the ranks of TREC runs."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from nextpair.app.formats.files import BadFile, FileSource, parse_number, read_lines, read_rows
from nextpair.app.formats.trec import Grades, read_grade, read_run

KEYS = ("topic", "doc")
RUN_FIELDS = 6
Values = dict[str, float | None]


@dataclass(slots=True)
class FeatureTable:
    """Features by topic and document, and grades, if the files have a column of them."""

    names: list[str] = field(default_factory=list)
    grades: Grades = field(default_factory=dict)
    _values: dict[tuple[str, str], Values] = field(default_factory=dict)

    def of(self, topic: str, document: str) -> Values:
        """Return a document's features, None for each that no file gives."""
        values = self._values.get((topic, document), {})
        return {name: values.get(name) for name in self.names}

    def knows(self, grades: Grades) -> bool:
        """Say whether any of these documents has features."""
        return any(
            (topic, document) in self._values for topic in grades for document in grades[topic]
        )

    def add(self, topic: str, document: str, values: Values) -> None:
        """Add features of a document."""
        self._values.setdefault((topic, document), {}).update(values)


def read_features(paths: Iterable[FileSource]) -> FeatureTable:
    """Read CSV tables and TREC runs into one table."""
    table = FeatureTable()
    for path in paths:
        _, first = next(read_lines(path), ("", ""))
        if not first:
            raise BadFile(f"{path}: the file is empty")
        if len(first.split()) == RUN_FIELDS:
            _read_ranks(path, table)
        else:
            _read_csv(path, table)
    return table


def _read_csv(path: FileSource, table: FeatureTable) -> None:
    names: list[str] | None = None
    seen: set[tuple[str, str]] = set()
    for where, row in read_rows(path, KEYS):
        if names is None:
            names = [name for name in row if name not in (*KEYS, "grade")]
            _add_names(path, table, names)
        topic, document = row["topic"], row["doc"]
        if (topic, document) in seen:
            raise BadFile(f"{where}: topic {topic} has document {document} twice")
        seen.add((topic, document))
        table.add(topic, document, {name: _value(where, name, row[name]) for name in names})
        if "grade" in row:
            grades = table.grades.setdefault(topic, {})
            if document in grades:
                raise BadFile(f"{where}: an earlier file has a grade for document {document} too")
            grades[document] = read_grade(where, row["grade"])
    if names is None:
        raise BadFile(f"{path}: there is no row below the header")


def _read_ranks(path: FileSource, table: FeatureTable) -> None:
    tag, ranks = read_run(path)
    _add_names(path, table, [tag])
    for topic, documents in ranks.items():
        for document, rank in documents.items():
            table.add(topic, document, {tag: rank})


def _add_names(path: FileSource, table: FeatureTable, names: list[str]) -> None:
    twice = [name for name in names if name in table.names]
    if twice:
        raise BadFile(f"{path}: the feature {twice[0]!r} comes from an earlier file too")
    table.names += names


def _value(where: str, name: str, text: str) -> float | None:
    return parse_number(where, name, text) if text.strip() else None
