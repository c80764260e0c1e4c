"""What tests need: those without it are skipped with a word, or fail where it is required."""

import pytest
from needs import VARIABLE, Reports, missing, required, told, unmet


def report(name: str, outcome: str, *markers: str, why: str = "") -> pytest.TestReport:
    return pytest.TestReport(
        nodeid=name,
        location=(name, 1, name),
        keywords=dict.fromkeys(markers, 1),
        outcome=outcome,  # type: ignore[arg-type]
        longrepr=(name, 1, f"Skipped: {why}") if why else None,
        when="call",
    )


REPORTS: Reports = {
    "passed": [report("a", "passed", "browser"), report("b", "passed", "postgres")],
    "failed": [report("c", "failed", "browser")],
    "skipped": [report(name, "skipped", "browser", why="no npm") for name in "de"],
}


def test_the_last_lines_count_what_ran_and_say_why_others_did_not() -> None:
    assert told(REPORTS) == [
        "browser tests that ran: 2",
        "PostgreSQL tests that ran: 1",
        "skipped 2: no npm",
    ]


def test_a_run_without_a_required_test_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "browser postgres")
    assert unmet(REPORTS) == []
    without = {"skipped": REPORTS["skipped"], "passed": REPORTS["passed"][1:]}
    assert unmet(without) == ["no browser test ran"]
    assert told(without)[-1] == f"no browser test ran (required by {VARIABLE})"


def test_who_misses_something_is_skipped_or_fails_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(pytest.skip.Exception, match="did NOT run: it is not here"):
        missing("postgres", "it is not here")
    monkeypatch.setenv(VARIABLE, "postgres")
    with pytest.raises(pytest.fail.Exception, match="requires postgres"):
        missing("postgres", "it is not here")


def test_what_no_test_needs_cannot_be_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "brwser")
    with pytest.raises(pytest.UsageError, match="brwser"):
        required()


def test_a_test_on_postgresql_is_marked_so(
    database_url: str, request: pytest.FixtureRequest
) -> None:
    marked = request.node.get_closest_marker("postgres") is not None
    assert marked == database_url.startswith("postgresql")
