"""`nextpair runner`: run the hiring on crowd platforms in a process of its own."""

import argparse
import signal
import threading
import time

from nextpair.app.hiring.runner import Runner
from nextpair.app.local.installation import (
    add_database_argument,
    open_prepared_database,
    read_settings,
)
from nextpair.app.runtime.schema_watch import schema_watched
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.web.middleware import start_logging

SECONDS = 15.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.set_defaults(run=run)
    add_database_argument(parser)
    parser.add_argument("--once", action="store_true", help="look once, and end")


def run(arguments: argparse.Namespace) -> int:
    """Run the hiring of all studies until stopped."""
    settings = read_settings(database=arguments.database)
    open_prepared_database(settings).close()
    start_logging(settings.log_level)
    service = ServiceContext(settings)
    runner = Runner(service, time.time)
    try:
        if arguments.once:
            runner.tick()
            runner.resign()
            return 0
        stop = threading.Event()
        for stop_signal in (signal.SIGINT, signal.SIGTERM):
            signal.signal(stop_signal, lambda *_: stop.set())
        with schema_watched(service.database):
            runner.run(stop, settings.runner_seconds or SECONDS)
    finally:
        service.close()
    return 0
