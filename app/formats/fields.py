"""The fields of a document in a file, with their descriptions for people."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileField:
    """A field of JSON Lines, or a column of a CSV table.

    Parameters
    ----------
    in_csv
        Whether a table has a column of this name.
    """

    name: str
    kind: str
    meaning: str
    in_csv: bool = True


CSV_IDS = ("id", "doc")
"""The possible names of the column with the id."""
TEXTS = ("title", "text", "html", "url")

FIELDS = (
    FileField(
        "id",
        "text or whole number, needed",
        f"what the document is called, once in its topic; in CSV the column {CSV_IDS[0]} or"
        f" {CSV_IDS[1]}",
    ),
    FileField(
        "topic",
        "text or whole number",
        "the question that documents are compared for; needed in each line, unless one topic is"
        " named for the whole file or runs say which documents a topic has",
    ),
    FileField("title", "text", "shown above the document"),
    FileField("text", "text", "the document, as plain text"),
    FileField("html", "text", "the document with markup, which is made safe before it is shown"),
    FileField("url", "text", "where the document is, as a link beside it"),
    FileField(
        "features",
        "object of numbers",
        "numbers that may say something about the document; in CSV every column of another name,"
        " a number or blank",
        in_csv=False,
    ),
    FileField("prior", "number", "a score believed in beforehand; larger is better"),
)

JSON_FIELDS = frozenset(field.name for field in FIELDS)
CSV_FIELDS = frozenset([*CSV_IDS, *(field.name for field in FIELDS if field.in_csv)])

JSON_EXAMPLE = """\
{"id": "scales", "topic": "coffee", "title": "Weigh it", "text": "Sixty grams for a litre."}
{"id": "cups", "topic": "coffee", "title": "My cups", "text": "I have collected cups for years."}
{"id": "steep", "topic": "tea", "text": "Three minutes.", "features": {"length": 2}, "prior": 0.4}
"""
CSV_EXAMPLE = """\
id,topic,title,text,length
scales,coffee,Weigh it,Sixty grams for a litre.,5
cups,coffee,My cups,"I have collected cups, for years.",6
steep,tea,,Three minutes.,
"""
TOPICS_EXAMPLE = """\
<top>
<num> coffee
<title> How do I make better coffee at home?
<desc> What to do, and why.
</top>
"""
RUN_EXAMPLE = """\
coffee Q0 scales 1 12.5 bm25
coffee Q0 cups 2 9.1 bm25
"""
