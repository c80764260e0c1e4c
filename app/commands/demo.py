"""`nextpair demo`: a demonstration on an example study, with a service that keeps running."""

import argparse
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from nextpair.app.client import Client
from nextpair.app.demo import background_service, example_study, narration
from nextpair.app.demo.crowd import DemoCrowd
from nextpair.app.demo.interrupts import deferred_interrupt
from nextpair.app.examples import load_example
from nextpair.app.local.running_service import RunningService
from nextpair.app.security.api_keys import SIGN_IN_SECONDS

FOLDER = Path("nextpair-demo")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.set_defaults(run=demo)
    parser.description = (
        f"Start a service on SQLite in ./{FOLDER}/, let simulated workers judge an example study,"
        " show what came of it, and leave the service running. Again: stop it and start afresh."
    )
    parser.add_argument("--stop", action="store_true", help="only stop the service")


def demo(arguments: argparse.Namespace) -> int:
    """Run the demonstration; if it is interrupted, stop the service."""
    stopped = background_service.stop(FOLDER)
    if arguments.stop:
        print(f"stopped {stopped.url}" if stopped else "nothing was running")
        return 0
    try:
        with deferred_interrupt() as check:
            running, key = background_service.start(FOLDER)
            _show(narration.open_console(), running, key, check)
    except BaseException:
        background_service.stop(FOLDER)
        raise
    return 0


def _show(console: Console, running: RunningService, key: str, check: Callable[[], None]) -> None:
    pools, grades = load_example()
    narration.print_setting(console, running, FOLDER, pools)
    with Client(running.url, key) as client:
        example_study.add_study(client, pools)
        pairs = sum(len(pool.documents) * (len(pool.documents) - 1) // 2 for pool in pools)
        with narration.progress_bar(console, client, pairs) as show:

            def watch() -> None:
                check()
                show()

            DemoCrowd(client, example_study.STUDY, grades).judge(watch)
        judged = example_study.fetch_judged_topics(client, pools)
        for judged_topic in judged:
            narration.print_ranking(console, judged_topic)
        inference = next(
            filter(
                None,
                (example_study.find_inference(client, judged_topic) for judged_topic in judged),
            ),
            None,
        )
        if inference is not None:
            inferred_in = next(
                judged_topic
                for judged_topic in judged
                if inference.first in judged_topic.ranking.classes[0]
            )
            narration.print_inference(console, inferred_in, inference)
        judging = example_study.add_own_study(client, pools)
        dashboard = client.url + client.create_sign_in().url
    narration.print_summary(
        console, judged, sum(judged_topic.is_as_graded(grades) for judged_topic in judged)
    )
    way = narration.NextSteps(judging, dashboard, round(SIGN_IN_SECONDS / 60))
    narration.print_next_steps(console, running, FOLDER, way)
