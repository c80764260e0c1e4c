"""What of a document no worker will see, found before anyone is asked about it.

HTML is read by the parser that cleans it for the page, so that both see the same elements.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import nh3

from nextpair.app.pages.sanitising import sanitise
from nextpair.app.schemas.omissions import OmissionOut, merged

WEB = ("http", "https")
REMOTE_IMAGES = "images at web addresses"
INLINE_IMAGES = "images in data: addresses"
OTHER_IMAGES = "images without a web address"
MEDIA = "audio and video"
FRAMES = "frames and embedded objects"
SCRIPTS = "scripts"
STYLES = "style sheets"
FORMS = "forms and their fields"
DRAWINGS = "SVG, MathML and canvas"
LINKS = "addresses of links that are not of the web"
SECOND_BODY = "HTML beside text"
NOTHING = "documents without anything to show"

WHY = {
    REMOTE_IMAGES: "whoever serves an image learns who looks at it;"
    " NEXTPAIR_REMOTE_IMAGES=true at the service loads them",
    INLINE_IMAGES: "only images at http or https addresses can be shown",
    OTHER_IMAGES: "only images at http or https addresses can be shown",
    MEDIA: "the page plays none",
    FRAMES: "the page embeds none",
    SCRIPTS: "none is run",
    STYLES: "documents are shown in the page's own style",
    FORMS: "documents cannot be filled in",
    DRAWINGS: "only text and images can be shown",
    LINKS: "the words of a link stay, without the link",
    SECOND_BODY: "a document that has text is shown as its text",
    NOTHING: "nothing of their HTML can be shown, and they have no text",
}
"""Everything that is left out, in the sequence in which it is told, and the reason."""
KINDS = {
    **dict.fromkeys(("audio", "video"), MEDIA),
    **dict.fromkeys(("iframe", "frame", "object", "embed", "applet"), FRAMES),
    "script": SCRIPTS,
    **dict.fromkeys(("style", "link"), STYLES),
    **dict.fromkeys(("form", "input", "select", "textarea", "button"), FORMS),
    **dict.fromkeys(("svg", "math", "canvas"), DRAWINGS),
}
_READ = {"img", "a", *KINDS}
_RAW = "script|style|iframe"
_ELEMENT = re.compile(rf"<({_RAW})\b[^>]*>.*?</\1>|<([a-z]+)((?: [^>]*)?)>", re.DOTALL)
"""An element of cleaned HTML, in which no text and no attribute holds a `<` of its own.

Elements whose content is not markup are found with that content.
"""
_ADDRESS = re.compile(r' (?:src|href)="\s*([^"]*)"')
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Body:
    """What a document holds to be shown."""

    id: str
    text: str
    html: str | None
    url: str | None


def find_omissions(documents: Iterable[Body], *, images: bool) -> list[OmissionOut]:
    """Say what of these documents will not be shown.

    Parameters
    ----------
    images
        Whether images may be loaded from their addresses.
    """
    found = merged(
        OmissionOut(what=what, why=WHY[what], count=count, documents=1, first=[document.id])
        for document in documents
        for what, count in _omitted(document, images).items()
    )
    order = list(WHY)
    return sorted(found, key=lambda one: order.index(one.what))


def _omitted(document: Body, images: bool) -> Counter[str]:
    if not document.html:
        return Counter()
    if document.text:
        return Counter({SECOND_BODY: 1})
    found = Counter(_kinds(document.html, images))
    if not document.url and not _shows(sanitise(document.html, images=images)):
        found[NOTHING] += 1
    return found


def _shows(clean: str) -> bool:
    return "<img" in clean or bool(_TAG.sub("", clean).replace("&nbsp;", " ").strip())


def _kinds(html: str, images: bool) -> Sequence[str]:
    """Name the kind of every element that is left out."""
    # Addresses with other schemes are taken away, so that none that is long need be read.
    read = nh3.clean(
        html.replace("\x00", ""),
        tags=_READ,
        clean_content_tags={"noscript", "template"},
        attributes={"img": {"src"}, "a": {"href"}},
        url_schemes={*WEB, "data", "mailto", "javascript", "ftp"},
        url_relative="pass_through",
        link_rel=None,
    )
    kinds: list[str] = []
    for raw, name, attributes in _ELEMENT.findall(read):
        kind = _kind(raw or name, attributes, images)
        if kind is not None:
            kinds.append(kind)
    return kinds


def _kind(name: str, attributes: str, images: bool) -> str | None:
    address = _ADDRESS.search(attributes)
    scheme = (address[1] if address else "").partition(":")[0].lower()
    if name == "img":
        if scheme in WEB:
            return None if images else REMOTE_IMAGES
        return INLINE_IMAGES if scheme == "data" else OTHER_IMAGES
    if name == "a":
        # A place in the document itself is none that anybody misses.
        inside = address is None or address[1].startswith("#")
        return None if inside or scheme in WEB else LINKS
    return KINDS.get(name)
