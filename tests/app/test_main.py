"""What a service has loaded before it answers, and what it loads when that is needed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from in_process import installed

from nextpair.app.runtime.threads import TURN_SECONDS

ROOT = Path(__file__).resolve().parents[2]

LOADED = """
import sys
from nextpair.app.main import create_app
from nextpair.app.settings import ServiceSettings

create_app(ServiceSettings(database=sys.argv[1]))
import nextpair.selectors.deferred.learners

before = set(sys.modules)
from nextpair.app.reports.report import build_report
from nextpair.selectors.base import find_selector, selector_names

for name in selector_names():
    find_selector(name)
print(sorted(name for name in set(sys.modules) - before if not name.startswith("_")))
"""


FIRST_USES = """
import sys
import threading

import numpy as np
from nextpair.app.main import create_app
from nextpair.app.reports.prediction import Prediction
from nextpair.app.settings import ServiceSettings
from nextpair.selectors.agreement.kappas import weighted_kappa
from nextpair.selectors.agreement.rank_correlation import auc, tau_b
from nextpair.selectors.state.tie_svm import most_ambiguous, tie_probabilities

create_app(ServiceSettings(database=sys.argv[1]))
slow = [name for name in sys.modules if name.startswith(("scipy.stats", "sklearn"))]
assert not slow, slow
space, places = np.linspace(-1.0, 1.0, 6)[:, None], np.arange(5)
pairs, ties = np.array([[0.1, 0.2], [0.5, 0.1], [0.9, 0.3]]), np.array([True, False, True])
USES = [
    lambda: tau_b([1, 2, 3], [1, 3, 2]),
    lambda: weighted_kappa([0, 1, 2, 1], [0, 2, 2, 1]),
    lambda: auc([0, 1, 1], [0.1, 0.4, 0.3]),
    lambda: Prediction(10, 2, 6).interval,
    lambda: tie_probabilities(space, places, places + 1, np.arange(5) < 2),
    lambda: most_ambiguous(pairs, ties, pairs),
]
found, together = [], threading.Barrier(2 * len(USES))

def use(one):
    together.wait()
    found.append(one())

threads = [threading.Thread(target=use, args=(one,)) for one in [*USES, *USES[::-1]]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(found))
"""


def ran(program: str, url: str) -> str:
    """Return what a process of its own prints."""
    command = [sys.executable, "-W", "error", "-c", program, url]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_nothing_is_left_to_import_once_requests_come(sqlite_url: str) -> None:
    # Two threads that import parts of a library at the same moment can fail.
    assert ran(LOADED, sqlite_url) == "[]"


def test_requests_that_come_at_once_load_what_takes_long_together(sqlite_url: str) -> None:
    assert ran(FIRST_USES, sqlite_url) == "12"


def test_what_takes_long_to_load_has_one_door() -> None:
    # Threads wait for one another at the modules of `deferred`, and nowhere else.
    importing = re.compile(r"^\s*(from|import) (sklearn|scipy\.(stats|optimize))", re.MULTILINE)
    found = {
        file.relative_to(ROOT)
        for folder in ("app", "selectors", "storage")
        for file in (ROOT / folder).rglob("*.py")
        if importing.search(file.read_text(encoding="utf-8"))
    }
    assert {file.parent for file in found} == {Path("selectors/deferred")}


def test_threads_of_a_service_wait_little_for_each_other(sqlite_url: str) -> None:
    before = sys.getswitchinterval()
    try:
        sys.setswitchinterval(10 * TURN_SECONDS)
        with installed(sqlite_url):
            assert sys.getswitchinterval() == pytest.approx(TURN_SECONDS)
    finally:
        sys.setswitchinterval(before)
