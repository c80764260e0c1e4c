"""Services to test: on either database, or only on SQLite where no SQL is at stake."""

from collections.abc import Iterator

import pytest
from in_process import InProcess, installed


@pytest.fixture
def service(database_url: str) -> Iterator[InProcess]:
    """The service, on either kind of database."""
    with installed(database_url) as made:
        yield made


@pytest.fixture
def light(sqlite_url: str) -> Iterator[InProcess]:
    """The service on SQLite."""
    with installed(sqlite_url) as made:
        yield made
