"""Which service a command calls, and with which key."""

import argparse
import os
import re
import sys

from nextpair.app.client import Client
from nextpair.selectors.errors import BadOption

KEY = "NEXTPAIR_KEY"
"""Where a key is looked for: unlike a command line, an environment is not shown to other users."""


def add_service_arguments(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, *, local: bool = True
) -> None:
    """Describe the words every command has that calls a service.

    Parameters
    ----------
    local
        Whether the service of this folder is meant if none is named.
    """
    default = " (default: the one that nextpair start runs in this folder)" if local else ""
    parser.add_argument("--url", metavar="URL", help=f"where it is: http://127.0.0.1:8000{default}")
    parser.add_argument(
        "--key",
        metavar="KEY",
        help=f"a key to it; better in the environment as {KEY}, where others do not see it",
    )


def open_client(arguments: argparse.Namespace) -> Client:
    """Connect to a service; one that is not there is told at once, not after many attempts."""
    key = (arguments.key or os.environ.get(KEY, "")).strip()
    url, key = (arguments.url, key) if arguments.url is not None else _local_service(key)
    if not re.match(r"https?://[^/]", url):
        raise BadOption(f"--url must begin with http:// or https://, got {url!r}")
    if not key:
        raise BadOption(f"the service needs a key: put one in the environment as {KEY}")
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise BadOption("the key has characters that no key has")
    with Client(url, key, retries=2, timeout=10) as probe:
        probe.ready()
    return Client(url, key)


def _local_service(key: str) -> tuple[str, str]:
    """Return the service of this folder and the key to it; one that was given is used instead.

    The folder's own key goes to no other service.
    """
    # Here, as it needs a system with POSIX locks, and only here.
    from nextpair.app.local.service_folder import NotRunning, current_folder

    running = current_folder().find()
    if running is None:
        raise NotRunning(
            "no service runs in this folder: start one (nextpair start), go to the folder where one"
            " was started, or name one with --url"
        )
    whose = f"the key of --key or {KEY}" if key else "this folder's own key"
    print(
        f"nextpair: using the service of this folder, {running.url}, with {whose}", file=sys.stderr
    )
    own = current_folder().key() if not key else key
    if own is None:
        raise NotRunning("this folder has lost its key: stop the service, and start it again")
    return running.url, own
