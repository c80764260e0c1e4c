"""Builds HTML; text that is not marked as markup is escaped, against injection."""

from html import escape

VOID = frozenset({"meta", "link", "br", "line", "circle", "polyline", "rect"})


class Html(str):
    """A string that is markup; any other string is text, to be escaped."""

    __slots__ = ()


Content = str | Html | None


def element(tag: str, *content: Content, **attributes: object) -> Html:
    """Make an element; `class_` and `aria_label` are attributes, and None leaves one out.

    >>> element("p", "1 < 2", class_='a"b')
    '<p class="a&quot;b">1 &lt; 2</p>'
    """
    rendered = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in VOID:
        return Html(f"<{tag}{rendered}/>")
    return Html(f"<{tag}{rendered}>{join(*content)}</{tag}>")


def join(*content: Content) -> Html:
    """Concatenate content, escaping what is not markup."""
    return Html(
        "".join(
            part if isinstance(part, Html) else escape(part) for part in content if part is not None
        )
    )


def table(heads: list[str], rows: list[list[Content]], label: str, kind: str = "") -> Html:
    """Make a table that scrolls by itself; the first cell of each row is its header."""
    head = element("tr", *(element("th", name, scope="col") for name in heads))
    body = [
        element(
            "tr", element("th", row[0], scope="row"), *(element("td", cell) for cell in row[1:])
        )
        for row in rows
    ]
    whole = element("table", element("thead", head), element("tbody", *body), class_=kind or None)
    # Accessibility: a scrollable region must be focusable, and have a label.
    return element("div", whole, class_="scroll", tabindex="0", role="region", aria_label=label)
