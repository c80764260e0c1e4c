"""`nextpair`, as its script runs it, by a clock that a file sets back and forward.

Runs as a program of its own. The file, named in the environment, holds how many seconds to add.
"""

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

OFFSET = "CLOCKED_BY"
"""The environment variable that names the file."""


def set_by(file: Path) -> None:
    """Add to the time what a file says, at every look at the clock."""
    true = time.time

    def told() -> float:
        # Whoever writes it may be in the middle of doing so.
        content = file.read_text(encoding="utf-8")
        return true() + float(content or 0)

    time.time = told


# Before anything of the service is imported: it takes the clock as it finds it.
if __name__ in ("__main__", "__mp_main__"):
    set_by(Path(os.environ[OFFSET]))

if __name__ == "__main__":
    cli: Any = import_module("nextpair.app.cli")
    sys.exit(cli.main())
