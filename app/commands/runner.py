"""`nextpair runner`: look after crowd platforms, beside a service or in place of its own runner."""

import argparse
import signal
import threading
import time

from nextpair.app.commands.installation import add_database, read_settings, ready_database
from nextpair.app.hiring.runner import Runner
from nextpair.app.runtime.schema_watch import schema_watched
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.web.middleware import start_logging

SECONDS = 15.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.set_defaults(run=run)
    add_database(parser)
    parser.add_argument("--once", action="store_true", help="look once, and end")


def run(given: argparse.Namespace) -> int:
    """Look after all studies that hire, until stopped."""
    settings = read_settings(database=given.database)
    ready_database(settings).close()
    start_logging(settings.log_level)
    service = ServiceContext(settings)
    runner = Runner(service, time.time)
    try:
        if given.once:
            runner.tick()
            runner.resign()
            return 0
        stop = threading.Event()
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, lambda *_: stop.set())
        with schema_watched(service.database):
            runner.run(stop, settings.runner_seconds or SECONDS)
    finally:
        service.close()
    return 0
