"""`nextpair sign-in`: another one-time address that opens the dashboard signed in."""

import argparse

from nextpair.app.client import Client
from nextpair.app.commands.remote import add_service, open_client
from nextpair.app.local.address import Running
from nextpair.app.local.browser import open_address
from nextpair.app.local.folder import Folder, NotRunning, here
from nextpair.app.security.api_keys import SIGN_IN_SECONDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.set_defaults(run=run)
    parser.description = (
        "Open the dashboard of this folder's service signed in, as nextpair start does. Of another"
        " service (--url) print the address that does it."
    )
    add_service(parser)
    add_browser(parser)


def add_browser(parser: argparse.ArgumentParser) -> None:
    """Describe the word of commands that open a browser."""
    parser.add_argument(
        "--no-browser",
        dest="browser",
        action="store_false",
        help="only print the address that signs in",
    )


def run(given: argparse.Namespace) -> int:
    """Sign in at a service."""
    with open_client(given) as client:
        address = _address(client, client.url)
    show_address(here(), address, browser=given.browser and given.url is None)
    return 0


def sign_in(folder: Folder, running: Running, *, browser: bool) -> None:
    """Sign in at the service of a folder."""
    key = folder.key()
    if key is None:
        raise NotRunning(f"{folder.path} has lost its key: stop the service, and start it again")
    with Client(running.url, key) as client:
        show_address(folder, _address(client, running.url), browser=browser)


def _address(client: Client, url: str) -> str:
    return url.rstrip("/") + client.create_sign_in().url


def show_address(folder: Folder, address: str, *, browser: bool) -> None:
    """Print an address that signs in, and open it if that can be seen."""
    opened = browser and open_address(folder, address)
    how = "the dashboard opens in your browser; otherwise open" if opened else "open the dashboard:"
    print(f"{how} {address}")
    minutes = round(SIGN_IN_SECONDS / 60)
    print(
        f"(it signs one browser in, once, within {minutes} minutes; another one: nextpair sign-in)",
        flush=True,
    )
