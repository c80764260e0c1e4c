"""`nextpair`, as its script runs it, with a note of how many threads numerical libraries use.

Runs as a program of its own: what is loaded before the command has limits of its own. The folder
for the notes is in the environment; the words are the command's.
"""

import json
import os
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

NOTES = "WATCHED_THREADS"


def note() -> None:
    """Write down what the libraries of this process would use, in this thread."""
    # What is loaded only when it is needed must find the limit, too.
    import_module("nextpair.selectors.deferred.learners")
    from threadpoolctl import threadpool_info

    found = [(one["internal_api"], one["num_threads"]) for one in threadpool_info()]
    name = f"{os.getpid()}-{threading.get_ident()}.json"
    Path(os.environ[NOTES], name).write_text(json.dumps(found), encoding="utf-8")


def watch_simulation() -> None:
    """Take a note whenever a topic has been judged."""
    studies: Any = import_module("nextpair.app.simulation.studies")
    judge_topic = studies.judge_topic

    def watched(*words: Any, **named: Any) -> Any:
        found = judge_topic(*words, **named)
        note()
        return found

    studies.judge_topic = watched


def watch_service() -> None:
    """Take a note whenever somebody asks a topic's ranking."""
    topic: Any = import_module("nextpair.selectors.state.topic_state").Topic
    reported = topic.reported

    def watched(*words: Any, **named: Any) -> Any:
        note()
        return reported(*words, **named)

    topic.reported = watched


def main() -> int:
    """Run the command."""
    cli: Any = import_module("nextpair.app.cli")

    def loaded(name: str) -> Any:
        module = import_module(name)
        watch_simulation() if name.endswith("simulation.command") else watch_service()
        return module

    cli.import_module = loaded
    code: int = cli.main()
    return code


if __name__ == "__main__":
    sys.exit(main())
if __name__ == "__mp_main__":
    # A process that the command started: it runs this file again under that name.
    watch_simulation()
    watch_service()
