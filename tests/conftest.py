"""Databases to test on, what tests need, and Hypothesis without its clock."""

import gc
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from installations import NoPostgreSQL, migrated, new_database, postgresql
from needs import missing, needs_of, required, told, unmet
from sqlalchemy.engine import make_url
from threadpoolctl import threadpool_limits

# A busy machine is not a failure, and a run draws the same examples as the one before. Other ones:
# NEXTPAIR_TESTS_EXPLORE=1 .venv/bin/python -m pytest …
settings.register_profile(
    "untimed",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="NEXTPAIR_TESTS_EXPLORE" not in os.environ,
)
settings.load_profile("untimed")


def pytest_xdist_auto_num_workers() -> int:
    """Run one more process than there are cores: tests often wait for browsers and services."""
    return (os.cpu_count() or 1) + 1


def pytest_configure() -> None:
    """Refuse to require what no test needs; let sums come out the same on any number of cores."""
    required()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell's background jobs ignore Ctrl-C, and so would every service that a test starts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    threadpool_limits(1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by what they need, before any are chosen by their marks."""
    for item in items:
        for need in needs_of(item):
            item.add_marker(need)


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what stays to the end: modules, and all the tests."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Say in the last lines what ran, and what was skipped and why."""
    yield
    if not terminalreporter.config.option.collectonly:
        terminalreporter.section("what ran, and what did not")
        for line in told(terminalreporter.stats):
            terminalreporter.line(line)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if tests that are required have not run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    is_worker = hasattr(session.config, "workerinput")
    if reporter is not None and not is_worker and not session.config.option.collectonly:
        if unmet(reporter.stats) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The address of a real PostgreSQL server."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(postgresql())
        except NoPostgreSQL as error:
            missing("postgres", str(error))
        yield server


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with all tables: to copy it is much quicker than to make them again."""
    file = tmp_path_factory.mktemp("migrated") / "nextpair.db"
    migrated(f"sqlite:///{file}")
    return file


@pytest.fixture
def sqlite_url(migrated_file: Path, tmp_path: Path) -> str:
    """The address of a new SQLite file, with all tables."""
    return f"sqlite:///{shutil.copy(migrated_file, tmp_path / 'nextpair.db')}"


@pytest.fixture(scope="session")
def migrated_database(postgresql_server: str) -> Iterator[str]:
    """The name of a PostgreSQL database with all tables."""
    with new_database(postgresql_server) as url:
        migrated(url)
        yield str(make_url(url).database)


@pytest.fixture
def postgresql_url(postgresql_server: str, migrated_database: str) -> Iterator[str]:
    """The address of a new PostgreSQL database, with all tables."""
    with new_database(postgresql_server, template=migrated_database) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of a new database of either kind, with all tables."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a new database of either kind, with nothing in it."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
    else:
        with new_database(request.getfixturevalue("postgresql_server")) as url:
            yield url
