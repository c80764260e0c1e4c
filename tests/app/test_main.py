"""What a service has done before it answers."""

import subprocess
import sys

import pytest
from in_process import installed

from nextpair.app.runtime.threads import TURN_SECONDS

LOADED = """
import sys
from nextpair.app.main import create_app
from nextpair.app.settings import Settings

create_app(Settings(database=sys.argv[1]))
before = set(sys.modules)
from nextpair.app.reports.report import build
from nextpair.selectors.base import find_selector, selector_names

for name in selector_names():
    find_selector(name)
print(sorted(name for name in set(sys.modules) - before if not name.startswith("_")))
"""


def test_nothing_is_left_to_import_once_requests_come(sqlite_url: str) -> None:
    # Two threads that import parts of scikit-learn at the same moment can fail.
    ran = subprocess.run(
        [sys.executable, "-c", LOADED, sqlite_url], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"


def test_threads_of_a_service_wait_little_for_each_other(sqlite_url: str) -> None:
    before = sys.getswitchinterval()
    try:
        sys.setswitchinterval(10 * TURN_SECONDS)
        with installed(sqlite_url):
            assert sys.getswitchinterval() == pytest.approx(TURN_SECONDS)
    finally:
        sys.setswitchinterval(before)
