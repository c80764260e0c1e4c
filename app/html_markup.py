"""HTML that cannot be broken out of: what is not markup already is escaped."""

from html import escape

VOID = frozenset({"meta", "link", "br", "line", "circle", "polyline", "rect"})


class Html(str):
    """Text that is markup; any other text is not."""

    __slots__ = ()


Content = str | Html | None


def element(tag: str, *content: Content, **attributes: object) -> Html:
    """Make an element; `class_` and `aria_label` are attributes, and None leaves one out.

    >>> element("p", "1 < 2", class_='a"b')
    '<p class="a&quot;b">1 &lt; 2</p>'
    """
    told = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in VOID:
        return Html(f"<{tag}{told}/>")
    return Html(f"<{tag}{told}>{join(*content)}</{tag}>")


def join(*content: Content) -> Html:
    """Put pieces together, escaping those that are no markup."""
    return Html(
        "".join(one if isinstance(one, Html) else escape(one) for one in content if one is not None)
    )


def table(heads: list[str], rows: list[list[Content]], label: str, kind: str = "") -> Html:
    """Make a table that can be scrolled by itself; the first cell of a row is its name."""
    head = element("tr", *(element("th", name, scope="col") for name in heads))
    body = [
        element(
            "tr", element("th", row[0], scope="row"), *(element("td", cell) for cell in row[1:])
        )
        for row in rows
    ]
    whole = element("table", element("thead", head), element("tbody", *body), class_=kind or None)
    # What scrolls must be reachable by keyboard, and have a name.
    return element("div", whole, class_="scroll", tabindex="0", role="region", aria_label=label)
