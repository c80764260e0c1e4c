"""Migrations: what they make is what the models say, on both databases, there and back."""

from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text

from nextpair.storage import keys
from nextpair.storage.database import Database
from nextpair.storage.errors import WrongSchema
from nextpair.storage.migrating import check_schema, migrate, prepare
from nextpair.storage.tables import Base


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An empty database."""
    made = Database(database_url)
    yield made
    made.close()


def tables(database: Database) -> set[str]:
    with database.read() as connection:
        return set(inspect(connection).get_table_names())


def test_the_migrations_give_exactly_the_models_tables(database: Database) -> None:
    migrate(database)
    with database.read() as connection:
        compared = {"compare_type": True, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=compared)
        assert compare_metadata(context, Base.metadata) == []
        found = inspect(connection)
        for table in Base.metadata.sorted_tables:
            checks = {one["name"] for one in found.get_check_constraints(table.name)}
            named = {str(one.name) for one in table.constraints}
            assert checks <= named
            assert {str(one["name"]) for one in found.get_foreign_keys(table.name)} <= named
        ordered = found.get_check_constraints("assignments")
        assert [one["name"] for one in ordered] == ["ck_assignments_ordered"]


def test_migrating_twice_is_migrating_once(database: Database) -> None:
    prepare(database, "first")
    before = tables(database)
    prepare(database, "second")
    assert tables(database) == before
    with database.read() as connection:
        assert keys.secret(connection, keys.SIGNING, "third") == "first"
        assert connection.execute(text("SELECT count(*) FROM alembic_version")).scalar() == 1


def test_migrating_back_leaves_nothing_and_forth_again_works(database: Database) -> None:
    prepare(database, "secret")
    migrate(database, "base")
    assert tables(database) <= {"alembic_version"}
    prepare(database, "secret")
    check_schema(database)


def test_a_database_of_another_revision_is_not_served(database: Database) -> None:
    with pytest.raises(WrongSchema, match="revision none"):
        check_schema(database)
    prepare(database, "secret")
    check_schema(database)
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(WrongSchema, match="9999"):
        check_schema(database)
