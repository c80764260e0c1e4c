"""What browsers are told: run and load nothing foreign, and be framed by few."""

from nextpair.app.settings import Settings

EVERYWHERE = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
"""Of every answer."""
UNFRAMED = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-frame-options", b"DENY"),
)
"""Of every answer that has no policy of its own: it is no page, and shown in no frame."""

_PERMISSIONS = ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")


def page_headers(settings: Settings) -> dict[str, str]:
    """Return the headers of the judging page."""
    images = "'self' data: http: https:" if settings.remote_images else "'self' data:"
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "img-src": images,
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": " ".join(settings.frame_ancestors) or "'none'",
        # Text becomes markup in one place of the scripts, which this names.
        "require-trusted-types-for": "'script'",
        "trusted-types": "nextpair",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Permissions-Policy": ", ".join(f"{name}=()" for name in _PERMISSIONS),
    }
