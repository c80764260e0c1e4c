"""TREC's formats: qrels (`topic 0 doc grade`) and runs (`topic Q0 doc rank score tag`)."""

from pathlib import Path

from nextpair.app.formats.files import BadFile, lines, number

Grades = dict[str, dict[str, int]]
"""Topic, then document, to its grade."""
Ranks = dict[str, dict[str, float]]
"""Topic, then document, to its rank."""


def read_qrels(path: Path) -> Grades:
    """Read grades; those below 0 mark junk and count as 0."""
    grades: Grades = {}
    for where, line in lines(path):
        match line.split():
            case [topic, _, document, grade]:
                of_topic = grades.setdefault(topic, {})
                if document in of_topic:
                    raise BadFile(f"{where}: topic {topic} has document {document} twice")
                of_topic[document] = read_grade(where, grade)
            case fields:
                raise BadFile(f"{where}: qrels have four fields, this line has {len(fields)}")
    return grades


def read_grade(where: str, text: str) -> int:
    """Read one grade; a negative one counts as 0."""
    value = number(where, "a grade", text)
    if value != int(value):
        raise BadFile(f"{where}: a grade must be a whole number, got {text!r}")
    return max(0, int(value))


def read_run(path: Path) -> tuple[str, Ranks]:
    """Read a run; return its tag and each document's rank."""
    tags, ranks = set[str](), Ranks()
    for where, line in lines(path):
        match line.split():
            case [topic, _, document, rank, _, tag]:
                tags.add(tag)
                if len(tags) > 1:
                    raise BadFile(f"{where}: a run has one tag, this one has {sorted(tags)}")
                of_topic = ranks.setdefault(topic, {})
                if document in of_topic:
                    raise BadFile(f"{where}: topic {topic} has document {document} twice")
                of_topic[document] = number(where, "a rank", rank)
            case fields:
                raise BadFile(f"{where}: a run has six fields, this line has {len(fields)}")
    return "".join(tags), ranks
