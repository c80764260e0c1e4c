"""The page that says which files can be imported, from what the readers themselves go by."""

from nextpair.app.formats import fields
from nextpair.app.html_markup import Html, element
from nextpair.app.pages.plain import plain_page


def file_help_page() -> bytes:
    """Write the page."""
    return plain_page(
        "The files",
        element(
            "p",
            "Documents come as JSON Lines or as a CSV table, in UTF-8, plain or packed with gzip."
            " Only id and topic are needed.",
        ),
        _fields(),
        _part("JSON Lines", "One object on each line:", fields.JSON_EXAMPLE),
        _part("CSV", "A header, and a row for each document:", fields.CSV_EXAMPLE),
        _part(
            "Topics, if you have them",
            "TREC topics (SGML, XML, or two columns: id and title) say more of each topic:",
            fields.TOPICS_EXAMPLE,
        ),
        _part(
            "Runs, if you have them",
            "What TREC runs rank highest is judged, and the ranks become features. Columns: topic,"
            " Q0, document, rank, score, name of the run.",
            fields.RUN_EXAMPLE,
        ),
        element(
            "p",
            "Names of topics may be in any script, with spaces, but without a slash. Ids with"
            " spaces cannot be exported as qrels or runs, which separate by white space.",
        ),
        element(
            "p",
            "On the command line: ",
            element("code", "nextpair import --study mine --documents my.jsonl"),
            ". On the dashboard: ",
            element("a", "New study", href="/studies"),
            ".",
        ),
    )


def _fields() -> Html:
    named = (
        element(
            "div",
            element("dt", element("code", field.name), " ", element("small", field.kind)),
            element("dd", field.meaning),
        )
        for field in fields.FIELDS
    )
    return element("dl", *named, class_="fields-of-files")


def _part(title: str, text: str, example: str) -> Html:
    shown = element("pre", example, tabindex="0", aria_label=f"Example: {title}", role="region")
    return element("section", element("h2", title), element("p", text), shown)
