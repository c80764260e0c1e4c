"""`nextpair sign-in`: creates another one-time sign-in URL of the dashboard."""

import argparse

from nextpair.app.client import Client
from nextpair.app.local.browser import open_address
from nextpair.app.local.running_service import RunningService
from nextpair.app.local.service_client import add_service_arguments, open_client
from nextpair.app.local.service_folder import NotRunning, ServiceFolder, current_folder
from nextpair.app.security.api_keys import SIGN_IN_SECONDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.set_defaults(run=run)
    parser.description = (
        "Open the dashboard of this folder's service signed in, as nextpair start does. Of another"
        " service (--url) print the address that does it."
    )
    add_service_arguments(parser)
    add_browser_argument(parser)


def add_browser_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the argument of commands that open a browser."""
    parser.add_argument(
        "--no-browser",
        dest="browser",
        action="store_false",
        help="only print the address that signs in",
    )


def run(arguments: argparse.Namespace) -> int:
    """Sign in at a service."""
    with open_client(arguments) as client:
        address = _address(client, client.url)
    show_address(current_folder(), address, browser=arguments.browser and arguments.url is None)
    return 0


def sign_in(folder: ServiceFolder, running: RunningService, *, browser: bool) -> None:
    """Sign in at the service of a folder."""
    key = folder.key()
    if key is None:
        raise NotRunning(f"{folder.path} has lost its key: stop the service, and start it again")
    with Client(running.url, key) as client:
        show_address(folder, _address(client, running.url), browser=browser)


def _address(client: Client, url: str) -> str:
    return url.rstrip("/") + client.create_sign_in().url


def show_address(folder: ServiceFolder, address: str, *, browser: bool) -> None:
    """Print a sign-in URL, and open it in a browser if there is a display."""
    opened = browser and open_address(folder, address)
    how = "the dashboard opens in your browser; otherwise open" if opened else "open the dashboard:"
    print(f"{how} {address}")
    minutes = round(SIGN_IN_SECONDS / 60)
    print(
        f"(it signs one browser in, once, within {minutes} minutes; another one: nextpair sign-in)",
        flush=True,
    )
