"""Hypothesis without its clock (a busy machine is not a failure), and databases to test on."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from installations import migrated, new_database, postgresql
from sqlalchemy.engine import make_url

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The address of a real PostgreSQL server."""
    with postgresql() as server:
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
