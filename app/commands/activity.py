"""`nextpair activity`: the activity log of a study's hiring, and its cost."""

import argparse
import json
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from nextpair.app.local.service_client import add_service_arguments, open_client


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.set_defaults(run=show)
    add_service_arguments(parser)
    parser.add_argument("--study", required=True, metavar="NAME", help="whose activity")
    parser.add_argument("--json", action="store_true", help="as JSON Lines")


def show(arguments: argparse.Namespace) -> int:
    """Print the activity log, and the use of the budget."""
    with open_client(arguments) as client:
        rows = list(client.activity(arguments.study))
        if arguments.json:
            for row in rows:
                print(json.dumps(row.model_dump(mode="json"), ensure_ascii=False))
            return 0
        hiring = client.hiring(arguments.study)
    table = Table("when", "what", "state", "cost", box=None)
    # Ids are wrapped rather than cut, so that they can be copied.
    table.add_column("about", overflow="fold")
    table.add_column("message", overflow="fold")
    for row in rows:
        about = " ".join(filter(None, (row.worker, row.session or row.offer)))
        cost = f"{row.cost / 100:.2f}" if row.cost else ""
        when = datetime.fromtimestamp(row.created_at, UTC).strftime("%Y-%m-%d %H:%M:%S")
        table.add_row(when, row.kind, row.state, cost, about, row.message)
    console = Console()
    console.print(table)
    why = f": {hiring.message}" if hiring.message else ""
    console.print(f"{hiring.platform}: {hiring.state or 'never hired'}{why}", highlight=False)
    amounts = (f"{amount / 100:,.2f}" for amount in (hiring.spent, hiring.reserved, hiring.budget))
    spent, reserved, budget = amounts
    console.print(
        f"{hiring.currency}: spent {spent}, reserved {reserved}, budget {budget}", highlight=False
    )
    return 0
