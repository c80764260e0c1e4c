"""A wheel of this tree, built and installed into an environment of its own."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def installed(folder: Path) -> Path:
    """Build a wheel, install it into a new environment in this folder, and return its Python.

    The packages that nextpair depends on are those of the environment that runs the tests. A `.pth`
    file adds them behind the new environment's own. What such a file adds is not searched for other
    `.pth` files, so the editable install of this tree is not seen there.
    """
    build = ["-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    _run([sys.executable, *build], ROOT)
    (wheel,) = folder.glob("*.whl")
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], folder)
    python = folder / "env" / "bin" / "python"
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--no-compile"]
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", *options]
    _run([*pip, str(wheel)], folder)
    (site,) = (folder / "env").glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return python


def _run(command: list[str], folder: Path) -> None:
    # Nothing may lead to this tree by another way.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
