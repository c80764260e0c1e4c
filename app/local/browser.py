"""Opens a secret URL in the browser of this machine's user."""

import os
import sys
import webbrowser
from threading import Thread

from nextpair.app.html_markup import element
from nextpair.app.local.service_folder import ServiceFolder


def has_screen() -> bool:
    """Say whether there is a graphical display; a browser in the terminal is not wanted."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_address(folder: ServiceFolder, address: str) -> bool:
    """Open a secret URL; return whether a browser was started.

    Everyone on the machine can read command lines, so the browser does not get the URL itself, but
    a file that redirects to it and that only its owner can read.
    """
    if not has_screen():
        return False
    page = folder.store_page(_redirect_page(address)).resolve().as_uri()
    # In a thread: the call may block until the browser is closed.
    Thread(target=webbrowser.open, args=(page,), daemon=True).start()
    return True


def _redirect_page(address: str) -> str:
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", http_equiv="refresh", content=f"0;url={address}"),
        element("title", "nextpair"),
    )
    body = element("body", element("p", element("a", "Open the dashboard", href=address)))
    return "<!doctype html>\n" + element("html", head, body, lang="en") + "\n"
