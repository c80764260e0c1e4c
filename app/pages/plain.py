"""Pages without scripts: the front page, and error pages."""

from nextpair.app.html_markup import Content, Html, element

STYLES = ("shared/base.css", "dashboard/charts.css", "dashboard/dashboard.css")


_TITLES = {
    "Invalid": "This address does not work",
    "Bad arrival": "This address does not work",
    "Not found": "No such page",
    "Uninvited": "By invitation only",
    "Unauthorized": "This is for programs",
}
"""Titles of error pages for people, where the title of the problem document would not do."""


def plain_page(title: str, *content: Content) -> bytes:
    """Render a page without scripts, with the style of the others."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title if title == "nextpair" else f"{title} \u2013 nextpair"),
        element("link", rel="icon", href="/static/shared/icon.svg", type="image/svg+xml"),
        *(element("link", rel="stylesheet", href=f"/static/{name}") for name in STYLES),
    )
    brand = element("nav", link("/", "nextpair", class_="brand"), class_="trail")
    bar = element("header", brand, class_="bar")
    main = element("main", element("div", element("h1", title), *content, class_="plain"))
    body = element("body", bar, main, class_="dashboard")
    return ("<!doctype html>\n" + element("html", head, body, lang="en") + "\n").encode()


def link(address: str, label: Content, **attributes: object) -> Html:
    """Make a link."""
    return element("a", label, href=address, **attributes)


def problem_page(title: str, detail: str, errors: list[str]) -> bytes:
    """Render an error page."""
    title = _TITLES.get(title, title)
    listed = [element("li", error, dir="auto") for error in errors]
    return plain_page(
        title,
        element("p", as_sentence(detail), dir="auto"),
        element("ul", *listed) if len(listed) > 1 else None,
        element(
            "p", link("/", "What is here"), " · ", link("/studies", "Dashboard"), class_="soft"
        ),
    )


def as_sentence(text: str) -> str:
    """Format the detail of a problem as a sentence.

    >>> as_sentence("there is no study 'answers'")
    "There is no study 'answers'."
    """
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")


def home_page() -> bytes:
    """Render the front page."""
    return plain_page(
        "nextpair",
        element(
            "p",
            "This is a nextpair service. People compare two documents at a time; it chooses the"
            " pair that teaches most, and infers the rest.",
        ),
        _part(
            "You were asked to judge",
            "Open the judging link that you were given. If it has ended, ask whoever gave it to you"
            " for another one: you go on where you were.",
        ),
        _part(
            "You run studies here",
            link("/studies", "Open the dashboard"),
            ": studies, progress, workers, judging links, results. If it asks for a key and the"
            " service was started with ",
            element("code", "nextpair start"),
            " on your machine, type ",
            element("code", "nextpair sign-in"),
            " in the same folder.",
        ),
        _part(
            "You have documents to be judged",
            link("/help/files", "The files"),
            ": which fields they have, with examples to copy.",
        ),
        _part(
            "You write programs",
            "The API is below ",
            element("code", "/v1"),
            ", described by ",
            element("code", "/openapi.json"),
            " for whoever holds a key. The documentation is in the folder ",
            element("code", "docs"),
            " of the source; each command says what it does with ",
            element("code", "--help"),
            ".",
        ),
    )


def _part(title: str, *content: Content) -> Html:
    return element("section", element("h2", title), element("p", *content))
