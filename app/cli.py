"""The `nextpair` command."""

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

from nextpair.selectors.errors import NextpairError

Describe = Callable[[argparse.ArgumentParser], None]
Run = Callable[[argparse.Namespace], int]


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
    # Every process that serves imports this module before it can say that it lives, so what takes
    # long to import waits until a command is run.
    from nextpair.app.commands import demo, exports, imports, keys, reports, serve
    from nextpair.app.simulation import arguments, command

    parser = argparse.ArgumentParser(
        prog="nextpair",
        description="Ask a person about the pair that teaches most, and conclude all that follows.",
    )
    parser.add_argument("--version", action="version", version=f"nextpair {version('nextpair')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    words: dict[str, tuple[str, Describe, Run]] = {
        "demo": ("see all of it at work on an example", demo.add_arguments, demo.demo),
        "serve": ("serve the HTTP API", serve.add_arguments, serve.serve),
        "import": ("put files into a study", imports.add_arguments, imports.import_files),
        "export": ("get a study's results", exports.add_arguments, exports.export),
        "report": ("say how far a study can be relied on", reports.add_arguments, reports.report),
        "simulate": (
            "measure selectors with simulated workers",
            arguments.add_arguments,
            command.simulate,
        ),
    }
    for word, (purpose, describe, run) in words.items():
        described = commands.add_parser(word, help=purpose, description=f"{purpose.capitalize()}.")
        describe(described)
        described.set_defaults(run=run)
    keys.add_arguments(commands.add_parser("keys", help="make, list and revoke API keys"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
