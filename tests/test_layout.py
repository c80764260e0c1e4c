"""The layout that makes three top-level folders and a front door one package, and its trap."""

import importlib
import selectors as standard_library
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_selectors_has_no_init_that_would_shadow_the_standard_library() -> None:
    assert not (ROOT / "selectors" / "__init__.py").exists()


def test_asyncio_can_be_imported_from_the_root_of_the_repository() -> None:
    subprocess.run([sys.executable, "-c", "import asyncio"], cwd=ROOT, check=True)
    assert hasattr(standard_library, "DefaultSelector")


@pytest.mark.parametrize("folder", ["app", "selectors", "storage"])
def test_each_link_leads_to_its_folder(folder: str) -> None:
    assert (ROOT / "src" / "nextpair" / folder).resolve() == ROOT / folder
    importlib.import_module(f"nextpair.{folder}")
