"""Which service a command calls, and with which key."""

import argparse
import os
import re

from nextpair.app.client import Client
from nextpair.selectors.errors import BadOption

KEY = "NEXTPAIR_KEY"
"""Where a key is looked for: unlike a command line, an environment is not shown to other users."""


def add_service(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, *, required: bool = True
) -> None:
    """Describe the words every command has that calls a service."""
    parser.add_argument(
        "--url", required=required, metavar="URL", help="where it is: http://127.0.0.1:8000"
    )
    parser.add_argument(
        "--key",
        metavar="KEY",
        help=f"a key to it; better in the environment as {KEY}, where others do not see it",
    )


def open_client(given: argparse.Namespace) -> Client:
    """Connect to a service; one that is not there is told at once, not after many attempts."""
    if not re.match(r"https?://[^/]", given.url):
        raise BadOption(f"--url must begin with http:// or https://, got {given.url!r}")
    key = (given.key or os.environ.get(KEY, "")).strip()
    if not key:
        raise BadOption(f"the service needs a key: put one in the environment as {KEY}")
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise BadOption("the key has characters that no key has")
    with Client(given.url, key, retries=2, timeout=10) as probe:
        probe.ready()
    return Client(given.url, key)
