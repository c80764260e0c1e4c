"""The `nextpair` command."""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version

from nextpair.app.commands import keys, serve
from nextpair.app.simulation import arguments, command
from nextpair.selectors.errors import NextpairError


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; bad input is one line on standard error and exit code 2."""
    given = _parser().parse_args(words)
    try:
        code: int = given.run(given)
    except NextpairError as error:
        print(f"nextpair: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nextpair",
        description="Ask a person about the pair that teaches most, and conclude all that follows.",
    )
    parser.add_argument("--version", action="version", version=f"nextpair {version('nextpair')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    serving = commands.add_parser("serve", help="serve the HTTP API")
    serve.add_arguments(serving)
    serving.set_defaults(run=serve.serve)
    keys.add_arguments(commands.add_parser("keys", help="make, list and revoke API keys"))
    simulate = commands.add_parser("simulate", help="measure selectors with simulated workers")
    arguments.add_arguments(simulate)
    simulate.set_defaults(run=command.simulate)
    return parser


if __name__ == "__main__":
    sys.exit(main())
