"""Documents are hostile: HTML is cut down to what only shows text.

What is not on the lists below goes; of scripts, styles and the like their content goes too.
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
"""Elements of which nothing is left; of all others the text stays."""
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
"""How many are kept, so that a popular document is not worked on for every worker."""


@lru_cache(maxsize=_MOST)
def sanitise(html: str, *, images: bool = False) -> str:
    """Return HTML that runs nothing, loads nothing and looks like nothing but text.

    >>> sanitise('<p onclick="steal()">Hello <script>steal()</script><b>you</b></p>')
    '<p>Hello <b>you</b></p>'
    >>> sanitise('<a href="javascript:steal()">here</a> <img src="https://example.org/x.png">')
    '<a rel="noopener noreferrer nofollow">here</a> '

    Parameters
    ----------
    images
        Whether images may be loaded from their addresses.
    """
    # What the cleaner does not know it may not read as a browser would.
    form = html.replace("\x00", "")
    return nh3.clean(
        form,
        tags=set(TAGS | IMAGES.keys()) if images else set(TAGS),
        clean_content_tags=set(EMPTIED),
        attributes={**ATTRIBUTES, **IMAGES} if images else ATTRIBUTES,
        url_schemes=set(SCHEMES),
        # A relative address would be one of this service.
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )
