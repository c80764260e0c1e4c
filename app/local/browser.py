"""Opening a page in the browser of whoever sits at this machine."""

import os
import sys
import webbrowser
from threading import Thread

from nextpair.app.html_markup import element
from nextpair.app.local.folder import Folder


def has_screen() -> bool:
    """Say whether a browser could be seen; one in the terminal would be in the way."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_address(folder: Folder, address: str) -> bool:
    """Open an address that is a secret; say whether a browser could be asked to.

    A command line can be read by everyone on the machine, so the browser is not given the address,
    but a file that leads there, which only its owner can read.
    """
    if not has_screen():
        return False
    page = folder.keep_page(_leading_to(address)).resolve().as_uri()
    # A browser that is started for this may not return before it is closed.
    Thread(target=webbrowser.open, args=(page,), daemon=True).start()
    return True


def _leading_to(address: str) -> str:
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", http_equiv="refresh", content=f"0;url={address}"),
        element("title", "nextpair"),
    )
    body = element("body", element("p", element("a", "Open the dashboard", href=address)))
    return "<!doctype html>\n" + element("html", head, body, lang="en") + "\n"
