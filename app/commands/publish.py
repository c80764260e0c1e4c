"""`nextpair publish`: hire on a crowd platform, or preview what that would create and cost."""

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from nextpair.app.client import Client
from nextpair.app.local.service_client import add_service_arguments, open_client
from nextpair.app.schemas.hiring import HiringOut, PlanOut
from nextpair.app.schemas.studies import StudyOut
from nextpair.app.simulation.command_inputs import split_options
from nextpair.selectors.errors import BadOption
from nextpair.storage.hiring_rows import HiringState

EXAMPLE = """\
examples:
  export NEXTPAIR_KEY=np_…
  nextpair publish mturk --url http://127.0.0.1:8000 --study answers --questions 10 --reward 50 \\
      --bonus 10 --budget 5000 --option sandbox=true --dry-run
  nextpair publish mturk --url http://127.0.0.1:8000 --study answers --stop
"""
AMOUNTS = {
    "questions": "how many a session has",
    "reward": "for a session, in cents",
    "bonus": "for a session that passed every check, in cents",
    "budget": "all that may be spent, with fees, in cents",
    "at_once": "sessions on offer at the same time",
    "sessions": "the most sessions in all",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.set_defaults(run=publish)
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("platform", metavar="PLATFORM", help="mturk, or another that hires")
    add_service_arguments(parser)
    parser.add_argument("--study", required=True, metavar="NAME", help="what is judged")
    for name, purpose in AMOUNTS.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=int, metavar="N", help=f"{purpose} (default: the study's)")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the platform; repeatable (default: the study's)",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--dry-run", action="store_true", help="only say what it would do and cost")
    what.add_argument("--pause", action="store_true", help="do nothing at the platform for now")
    what.add_argument("--stop", action="store_true", help="offer no more; pay what was begun")


def publish(arguments: argparse.Namespace) -> int:
    """Start, pause or stop hiring, or preview it."""
    with open_client(arguments) as client:
        study = client.study(arguments.study)
        changes = _changes(arguments, study)
        _print_message(client.hiring(arguments.study))
        if arguments.dry_run:
            return _print_plan(client.plan_hiring(arguments.study, changes))
        if arguments.pause or arguments.stop:
            if study.platform != arguments.platform:
                raise BadOption(f"study {arguments.study!r} is on {study.platform}")
            state = HiringState.PAUSED if arguments.pause else HiringState.STOPPED
        else:
            state = HiringState.RUNNING
            _change(client, arguments.study, changes)
        return _print_status(client.set_hiring(arguments.study, state))


def _changes(arguments: argparse.Namespace, study: StudyOut) -> dict[str, Any]:
    """Return the settings on the command line that differ from the study's."""
    changes: dict[str, Any] = {}
    if study.platform != arguments.platform:
        changes |= {"platform": arguments.platform, "platform_options": {}}
    if arguments.option:
        options = {} if changes else dict(study.platform_options)
        given = {name: _value(text) for name, text in split_options(arguments.option).items()}
        changes["platform_options"] = options | given
    amounts = {
        name: getattr(arguments, name) for name in AMOUNTS if getattr(arguments, name) is not None
    }
    if amounts:
        changes["hiring"] = {**study.hiring.model_dump(mode="json"), **amounts}
    return changes


def _value(text: str) -> Any:
    """Parse an option's value: JSON such as true, 3 and ["US", "CA"], otherwise text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _change(client: Client, study: str, changes: Mapping[str, Any]) -> None:
    if changes:
        client.change_study(study, **changes)


def _print_plan(plan: PlanOut) -> int:
    for call in plan.calls:
        print(f"{call.name} {json.dumps(call.content, indent=2, ensure_ascii=False)}")
    if not plan.offers:
        print("nothing would be published now: nothing is needed, or the budget bears no more")
    else:
        parts = ", ".join(map(str, plan.offers))
        print(
            f"now: {len(plan.offers)} offer(s) with {parts} session(s),"
            f" at most {_money(plan.cost, plan.currency)}"
        )
    print(
        f"a session: {_money(plan.session_cost, plan.currency)},"
        f" its bonus {_money(plan.bonus_cost, plan.currency)}, fees included"
    )
    if plan.sessions and plan.study_cost:
        low, likely, high = (_money(amount, plan.currency) for amount in plan.study_cost)
        print(f"the whole study: {plan.sessions[1]} session(s), {likely} ({low} to {high})")
    print(f"budget: {_money(plan.budget, plan.currency)}, free {_money(plan.free, plan.currency)}")
    if plan.study_cost and plan.study_cost[1] > plan.free:
        print("the study is likely to need more than is free of the budget", file=sys.stderr)
    return 0


def _print_message(hiring: HiringOut) -> None:
    """Print why the study has not been hiring so far, before the reason is reset."""
    if hiring.message:
        print(f"so far {hiring.state}: {hiring.message}", file=sys.stderr)


def _print_status(hiring: HiringOut) -> int:
    why = f": {hiring.message}" if hiring.message else ""
    print(f"{hiring.platform}: {hiring.state}{why}")
    print(
        f"spent {_money(hiring.spent, hiring.currency)},"
        f" reserved {_money(hiring.reserved, hiring.currency)},"
        f" of {_money(hiring.budget, hiring.currency)}"
    )
    return 0


def _money(amount: int, currency: str) -> str:
    return f"{currency} {amount / 100:,.2f}"
