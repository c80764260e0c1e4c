"""The service that a command calls, and the API key for it."""

import argparse
import os
import re
import sys

from nextpair.app.client import Client
from nextpair.selectors.errors import BadOption

KEY = "NEXTPAIR_KEY"
"""The variable with the key: other users can read command lines, but not the environment."""


def add_service_arguments(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, *, local: bool = True
) -> None:
    """Declare the arguments of all commands that call a service.

    Parameters
    ----------
    local
        Whether the service of this folder is the default.
    """
    default = " (default: the one that nextpair start runs in this folder)" if local else ""
    parser.add_argument("--url", metavar="URL", help=f"where it is: http://127.0.0.1:8000{default}")
    parser.add_argument(
        "--key",
        metavar="KEY",
        help=f"a key to it; better in the environment as {KEY}, where others do not see it",
    )


def open_client(arguments: argparse.Namespace) -> Client:
    """Connect to a service; fail fast, with few retries, if it is not there."""
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
    """Return the URL of this folder's service, and its key unless another one is given.

    The folder's own key is sent to no other service.
    """
    # Imported here, since it needs POSIX locks, and other commands do not.
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
