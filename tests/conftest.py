"""Hypothesis without its clock (a busy machine is not a failure), and databases to test on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from installations import new_database, postgresql

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The address of a real PostgreSQL server."""
    with postgresql() as server:
        yield server


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of a new SQLite file."""
    return f"sqlite:///{tmp_path / 'nextpair.db'}"


@pytest.fixture
def postgresql_url(postgresql_server: str) -> Iterator[str]:
    """The address of a new PostgreSQL database."""
    with new_database(postgresql_server) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of a new database, of either kind."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url
