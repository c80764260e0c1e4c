"""The `nextpair` command."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version

from nextpair.app.commands.parser import Parser
from nextpair.app.runtime.threads import limit_library_threads
from nextpair.app.truncation import shortened
from nextpair.selectors.errors import NextpairError

LONGEST = 2000
"""The longest error message, in characters: it may quote a file that is one long word."""
COMMANDS = {
    "start": ("serve this folder, and open its dashboard signed in", "commands.start"),
    "demo": ("see all of it at work on an example", "commands.demo"),
    "serve": ("serve the HTTP API", "commands.serve"),
    "import": ("put files into a study", "commands.imports"),
    "sign-in": ("open the dashboard signed in once more", "commands.sign_in"),
    "export": ("get a study's results", "commands.exports"),
    "report": ("say how far a study can be relied on", "commands.reports"),
    "publish": ("hire on a crowd platform, or see first what it costs", "commands.publish"),
    "activity": ("say what was done at a study's platform, and its cost", "commands.activity"),
    "runner": ("look after crowd platforms without serving", "commands.runner"),
    "simulate": ("measure selectors with simulated workers", "simulation.command"),
    "keys": ("make, list and revoke API keys", "commands.keys"),
}
"""The purpose of each command, and its module, which has `add_arguments`."""


def main(words: Sequence[str] | None = None) -> int:
    """Run a command; an expected error is one line on standard error and exit code 2."""
    words = sys.argv[1:] if words is None else words
    limit_library_threads()
    arguments = parser_for(words).parse_args(words)
    try:
        code: int = arguments.run(arguments)
    except NextpairError as error:
        print(f"nextpair: {shortened(str(error), LONGEST)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return code


def parser_for(words: Sequence[str]) -> argparse.ArgumentParser:
    """Make a parser with the names of all commands, and the arguments of the requested one.

    Only the requested command's module is imported: all of them together take seconds.
    """
    parser = Parser(
        prog="nextpair",
        description="Ask a person about the pair that teaches most, and conclude all that follows.",
    )
    parser.add_argument("--version", action="version", version=f"nextpair {version('nextpair')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    requested = next((name for name in words if not name.startswith("-")), None)
    for name, (purpose, where) in COMMANDS.items():
        described = commands.add_parser(name, help=purpose, description=f"{purpose.capitalize()}.")
        if name == requested:
            import_module(f"nextpair.app.{where}").add_arguments(described)
    return parser


if __name__ == "__main__":
    sys.exit(main())
