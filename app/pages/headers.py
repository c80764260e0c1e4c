"""Security headers: Content-Security-Policy, Permissions-Policy and frame ancestors."""

from collections.abc import Sequence

from nextpair.app.settings import ServiceSettings

Headers = list[tuple[bytes, bytes]]

_EVERYWHERE = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"))
_POLICY = b"content-security-policy"
_NO_PAGE = (_POLICY, b"default-src 'none'; frame-ancestors 'none'")
_UNFRAMED = (b"x-frame-options", b"DENY")

_PERMISSIONS = ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")


def page_headers(
    settings: ServiceSettings, frames: Sequence[str] = (), forms: Sequence[str] = ()
) -> dict[str, str]:
    """Return the headers of the judging page.

    Parameters
    ----------
    frames, forms
        The origins of the study's platform that may frame the page, and that it may post forms to.
    """
    images = "'self' data: http: https:" if settings.remote_images else "'self' data:"
    ancestors = " ".join((*settings.frame_ancestors, *frames)) or "'none'"
    return _headers(images, ancestors, " ".join(forms) or "'none'")


def dashboard_headers() -> dict[str, str]:
    """Return the headers of the dashboard, which nobody may frame, against clickjacking."""
    headers = _headers("'self' data:", "'none'", "'none'")
    return {**headers, "Cross-Origin-Opener-Policy": "same-origin"}


def _headers(images: str, ancestors: str, forms: str) -> dict[str, str]:
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "img-src": images,
        "base-uri": "'none'",
        "form-action": forms,
        "frame-ancestors": ancestors,
        # Trusted Types: the scripts have one policy, in which text becomes markup.
        "require-trusted-types-for": "'script'",
        "trusted-types": "nextpair",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Permissions-Policy": ", ".join(f"{name}=()" for name in _PERMISSIONS),
    }


def with_security_headers(headers: Headers) -> Headers:
    """Return the headers of a response with those that every response has.

    A response without a policy of its own is not a page and gets the strictest one; without frame
    ancestors, nobody may frame it.
    """
    names = {name for name, _ in headers}
    added = [header for header in _EVERYWHERE if header[0] not in names]
    if _POLICY not in names:
        added.append(_NO_PAGE)
    if not any(name == _POLICY and b"frame-ancestors" in value for name, value in headers):
        added.append(_UNFRAMED)
    return [*headers, *added]
