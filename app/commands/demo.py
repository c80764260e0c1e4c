"""`nextpair demo`: all of it at work on an example, and a service to try that goes on running."""

import argparse
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from nextpair.app.client import Client
from nextpair.app.demo import background, example, story
from nextpair.app.demo.crowd import Crowd
from nextpair.app.demo.interrupting import interruptible
from nextpair.app.examples import load_example
from nextpair.app.local.address import Running
from nextpair.app.security.api_keys import SIGN_IN_SECONDS

FOLDER = Path("nextpair-demo")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.set_defaults(run=demo)
    parser.description = (
        f"Start a service on SQLite in ./{FOLDER}/, let simulated workers judge an example study,"
        " show what came of it, and leave the service running. Again: stop it and start afresh."
    )
    parser.add_argument("--stop", action="store_true", help="only stop the service")


def demo(given: argparse.Namespace) -> int:
    """Show everything; half a demonstration leaves nothing running."""
    stopped = background.stop(FOLDER)
    if given.stop:
        print(f"stopped {stopped.url}" if stopped else "nothing was running")
        return 0
    try:
        with interruptible() as check:
            running, key = background.start(FOLDER)
            _show(story.open_console(), running, key, check)
    except BaseException:
        background.stop(FOLDER)
        raise
    return 0


def _show(console: Console, running: Running, key: str, check: Callable[[], None]) -> None:
    pools, grades = load_example()
    story.tell_setting(console, running, FOLDER, pools)
    with Client(running.url, key) as client:
        example.add_study(client, pools)
        pairs = sum(len(pool.documents) * (len(pool.documents) - 1) // 2 for pool in pools)
        with story.progress_bar(console, client, pairs) as show:

            def watch() -> None:
                check()
                show()

            Crowd(client, example.STUDY, grades).judge(watch)
        judged = example.look(client, pools)
        for one in judged:
            story.tell_ranking(console, one)
        found = next(filter(None, (example.find_inference(client, one) for one in judged)), None)
        if found is not None:
            whose = next(one for one in judged if found.first in one.ranking.classes[0])
            story.tell_inference(console, whose, found)
        judging = example.add_own_study(client, pools)
        dashboard = client.url + client.create_sign_in().url
    story.tell_sum(console, judged, sum(one.is_as_graded(grades) for one in judged))
    way = story.WayOn(judging, dashboard, round(SIGN_IN_SECONDS / 60))
    story.tell_way_on(console, running, FOLDER, way)
