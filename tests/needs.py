"""What tests need that a machine may not have: which tests, whether they ran, and why not.

A test whose need is not met is skipped, and the last lines of a run say so. Where the environment
names the need in NEXTPAIR_TESTS_REQUIRE, as CI does, it fails instead.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NoReturn

import pytest

NEEDS = {"browser": "browser", "postgres": "PostgreSQL"}
"""Markers of what tests need, with the words for it."""
VARIABLE = "NEXTPAIR_TESTS_REQUIRE"
RAN = ("passed", "failed", "xfailed", "xpassed")


def required() -> list[str]:
    """Return what must be there."""
    named = os.environ.get(VARIABLE, "").split()
    if unknown := set(named) - NEEDS.keys():
        raise pytest.UsageError(f"{VARIABLE} names what no test needs: {', '.join(unknown)}")
    return named


def missing(need: str, why: str) -> NoReturn:
    """Skip a test whose need is not met, or fail it where that need is required."""
    if need in required():
        pytest.fail(f"{why}, and {VARIABLE} requires {need}", pytrace=False)
    pytest.skip(f"{NEEDS[need]} tests did NOT run: {why}")


def needs_of(item: pytest.Item) -> Iterator[str]:
    """Say what a test needs, by the fixtures it asks for and the parameters it is given."""
    fixtures = set(getattr(item, "fixturenames", ()))
    callspec = getattr(item, "callspec", None)
    if "browser" in fixtures:
        yield "browser"
    if any("postgresql" in one for one in fixtures | set(_words(callspec))):
        yield "postgres"


def _words(callspec: object) -> Iterator[str]:
    for value in getattr(callspec, "params", {}).values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str):
                yield one


Reports = dict[str, list[pytest.TestReport]]
"""What became of tests, by the word for it."""


def told(reports: Reports) -> list[str]:
    """Say in lines how many tests ran that need something, and how many were skipped and why."""
    lines = [f"{NEEDS[need]} tests that ran: {ran(reports, need)}" for need in NEEDS]
    skipped = Counter(_reason(report) for report in reports.get("skipped", ()))
    lines += [f"skipped {count}: {reason}" for reason, count in skipped.most_common()]
    return [*lines, *(f"{why} (required by {VARIABLE})" for why in unmet(reports))]


def unmet(reports: Reports) -> list[str]:
    """Say which requirements no test has met."""
    return [f"no {NEEDS[need]} test ran" for need in required() if not ran(reports, need)]


def ran(reports: Reports, need: str) -> int:
    """Count the tests that ran and need something."""
    return len({one.nodeid for one in _ran(reports) if need in one.keywords})


def _ran(reports: Reports) -> Iterable[pytest.TestReport]:
    return (one for word in RAN for one in reports.get(word, ()))


def _reason(report: pytest.TestReport) -> str:
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return why.removeprefix("Skipped: ")
