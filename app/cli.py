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
"""Characters of what is said of an error: a file may be one long word."""
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
"""What each command is for, and where it is: a module with `add_arguments`."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; bad input is one line on standard error and exit code 2."""
    words = sys.argv[1:] if words is None else words
    limit_library_threads()
    given = parser_for(words).parse_args(words)
    try:
        code: int = given.run(given)
    except NextpairError as error:
        print(f"nextpair: {shortened(str(error), LONGEST)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return code


def parser_for(words: Sequence[str]) -> argparse.ArgumentParser:
    """Make a parser that knows all commands by their names, and the one in question in full.

    Only that one is imported: each has others to import, and together they take seconds.
    """
    parser = Parser(
        prog="nextpair",
        description="Ask a person about the pair that teaches most, and conclude all that follows.",
    )
    parser.add_argument("--version", action="version", version=f"nextpair {version('nextpair')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    meant = next((word for word in words if not word.startswith("-")), None)
    for word, (purpose, where) in COMMANDS.items():
        described = commands.add_parser(word, help=purpose, description=f"{purpose.capitalize()}.")
        if word == meant:
            import_module(f"nextpair.app.{where}").add_arguments(described)
    return parser


if __name__ == "__main__":
    sys.exit(main())
