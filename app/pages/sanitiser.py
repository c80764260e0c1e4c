"""The HTML sanitiser: documents are untrusted, so only elements that show text are allowed.

Elements that are not on the allow list are removed; those of `EMPTIED` with their content.
"""

from functools import lru_cache

import nh3

TAGS = frozenset(
    "a abbr article aside b bdi bdo blockquote br caption center cite code col colgroup dd del"
    " details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li"
    " main mark nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup"
    " table tbody td tfoot th thead time tr tt u ul var wbr".split()
)
"""Elements that show text and do nothing."""
EMPTIED = frozenset(
    "script style template noscript iframe object applet svg math select option textarea"
    " button form head title frameset noframes noembed plaintext xmp audio video canvas".split()
)
"""Elements that are removed with their content; of all others the text stays."""
ATTRIBUTES = {
    "*": {"dir", "lang", "title"},
    "a": {"href"},
    "col": {"span"},
    "colgroup": {"span"},
    "li": {"value"},
    "ol": {"start", "reversed", "type"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"datetime"},
}
IMAGES = {"img": {"src", "alt", "width", "height"}}
SCHEMES = frozenset(("http", "https", "mailto"))
_MOST = 64
"""The size of the cache, so that a document is not sanitised again for every worker."""


@lru_cache(maxsize=_MOST)
def sanitise(html: str, *, images: bool = False) -> str:
    """Return HTML that runs nothing, loads nothing, and cannot imitate the page.

    >>> sanitise('<p onclick="steal()">Hello <script>steal()</script><b>you</b></p>')
    '<p>Hello <b>you</b></p>'
    >>> sanitise('<a href="javascript:steal()">here</a> <img src="https://example.org/x.png">')
    '<a rel="noopener noreferrer nofollow">here</a> '

    Parameters
    ----------
    images
        Whether images may be loaded from their addresses.
    """
    # The parser and browsers may treat NUL differently.
    form = html.replace("\x00", "")
    return nh3.clean(
        form,
        tags=set(TAGS | IMAGES.keys()) if images else set(TAGS),
        clean_content_tags=set(EMPTIED),
        attributes={**ATTRIBUTES, **IMAGES} if images else ATTRIBUTES,
        url_schemes=set(SCHEMES),
        # A relative URL would be one of this service.
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )
