"""Migrations: what they make is what the models say, on both databases, there and back."""

from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, select, text

from nextpair.storage import assignments, judgments, keys, schema_revisions
from nextpair.storage.database import Database
from nextpair.storage.errors import AlreadyThere, WrongSchema
from nextpair.storage.hiring_tables import Base
from nextpair.storage.rows import KeyRow
from nextpair.storage.schema_revisions import check_schema, migrate, prepare
from nextpair.storage.tables import StudyTable


@pytest.fixture
def database(empty_url: str) -> Iterator[Database]:
    """An empty database."""
    made = Database(empty_url)
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


def test_the_scripts_names_say_their_revisions() -> None:
    config = Config()
    config.set_main_option("script_location", "nextpair.storage:migrations")
    scripts = ScriptDirectory.from_config(config)
    assert schema_revisions._known() == {script.revision for script in scripts.walk_revisions()}
    assert schema_revisions._newest() == scripts.get_current_head()


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


_OLD = [
    "INSERT INTO studies VALUES (1, 's', '{}', 'open', 0, 1.0)",
    "INSERT INTO topics (id, study_id, name, title, description, narrative, seed, documents,"
    " fingerprint, status, version, position, asked, created_at)"
    " VALUES (1, 1, 't', '', '', '', 0, 2, '', 'open', 3, 2, 1, 1.0)",
    "INSERT INTO workers VALUES (1, 1, 'ann', 'active', 1.0)",
    "INSERT INTO assignments (topic_id, number, worker_id, first, second, swapped, state, attempt,"
    " version, expires_at, request, created_at)"
    " VALUES (1, 1, 1, 0, 1, false, 'retracted', 1, 3, 2.0, NULL, 1.0)",
    "INSERT INTO judgments (topic_id, number, assignment, attempt, worker_id, first, second,"
    " outcome, answer, seconds, created_at)"
    """ VALUES (1, 1, 1, 1, 1, 0, 1, 'better', '{"preference": "left"}', 2.5, 1.5)""",
    "INSERT INTO retractions VALUES (1, 1, 2, 'why', 'who', 1.8)",
]


def test_judgments_of_the_first_revision_go_on_to_the_next_and_back(database: Database) -> None:
    migrate(database, "0001")
    with database.write() as connection:
        for statement in _OLD:
            # As the driver has it: a colon in JSON is no parameter.
            connection.exec_driver_sql(statement)
    migrate(database)
    with database.read() as connection:
        (row,) = judgments.numbered(connection, 1, [1])
        assert (row.outcome, row.answer, row.purpose) == ("better", {"preference": "left"}, "work")
        asked = assignments.find_assignment(connection, 1, 1)
        assert asked is not None
        assert (asked.state, asked.purpose, asked.batch) == ("retracted", "work", None)
        assert judgments.counting(connection, 1) == []
    with pytest.raises(AlreadyThere), database.write() as connection:
        # The references are to the tables as they are called now.
        connection.execute(text("DELETE FROM assignments"))
    migrate(database, "0001")
    with database.read() as connection:
        found = connection.execute(text("SELECT outcome, seconds FROM judgments")).all()
        assert [tuple(one) for one in found] == [("better", 2.5)]
    migrate(database)
    check_schema(database)


_LINKS = [
    """INSERT INTO studies VALUES (1, 'unasked',
        '{"platform": "link", "votes": 3}', 'open', 0, 1.0)""",
    """INSERT INTO studies VALUES (2, 'with options',
        '{"platform": "link", "platform_options": {"code": true}}', 'open', 0, 1.0)""",
    """INSERT INTO studies VALUES (3, 'in use', '{"platform": "link"}', 'open', 0, 1.0)""",
    """INSERT INTO studies VALUES (4, 'elsewhere', '{"platform": "mturk"}', 'open', 0, 1.0)""",
    """INSERT INTO studies VALUES (5, 'older', '{}', 'open', 0, 1.0)""",
    "INSERT INTO workers VALUES (1, 3, 'ann', 'active', 1.0)",
    "INSERT INTO submissions (id, study_id, platform, session, worker_id, state, extra, begun_at,"
    " created_at) VALUES (1, 3, 'link', 'ann', 1, 'working', '{}', 1.0, 1.0)",
]


def platforms(database: Database) -> dict[str, str | None]:
    with database.read() as connection:
        found = connection.execute(select(StudyTable.name, StudyTable.settings))
        return {name: settings.get("platform") for name, settings in found}


def test_a_study_that_never_asked_for_links_is_closed_to_strangers(database: Database) -> None:
    migrate(database, "0004")
    with database.write() as connection:
        for statement in _LINKS:
            connection.exec_driver_sql(statement)
    before = platforms(database)
    migrate(database)
    assert platforms(database) == {
        "unasked": "invited",
        "with options": "link",
        "in use": "link",
        "elsewhere": "mturk",
        "older": None,
    }
    with database.read() as connection:
        kept = connection.execute(
            select(StudyTable.settings).where(StudyTable.id == 1)
        ).scalar_one()
    assert kept == {"platform": "invited", "votes": 3}
    migrate(database, "0005-1")
    assert platforms(database) == before


def test_browsers_are_signed_out_by_the_way_back(database: Database) -> None:
    prepare(database, "secret")
    with database.write() as connection:
        keys.add_key(connection, KeyRow("a", "x", "admin", "", 1.0, None))
        keys.add_key(connection, KeyRow("b", "y", "admin", "", 1.0, None, 9.0, "a"))
        keys.add_sign_in(connection, "z", "b", 1.0, 9.0)
        keys.add_request(connection, "b", "once", "f", {}, 1.0)
    migrate(database, "0005-1")
    migrate(database)
    with database.read() as connection:
        assert [row.id for row in keys.list_keys(connection)] == ["a"]


_STAGED = [
    "INSERT INTO studies VALUES (1, '', '{}', 'closed', 0, 0.0), (2, 's', '{}', 'open', 0, 1.0)",
    "INSERT INTO topics (id, study_id, name, title, description, narrative, seed, documents,"
    " fingerprint, status, version, position, asked, created_at, upload_id)"
    " VALUES (1, 1, 'u t', '', '', '', 0, 1, '', 'open', 0, 0, 0, 1.0, 'u'),"
    " (2, 2, 't', '', '', '', 0, 1, '', 'open', 0, 0, 0, 1.0, NULL)",
    "INSERT INTO documents (topic_id, position, name, title, text) VALUES (1, 0, 'd', '', ''),"
    " (2, 0, 'd', '', '')",
    "INSERT INTO uploads VALUES ('u', 0.0, false)",
]


def test_an_upload_that_is_under_way_is_dropped_by_the_way_back(database: Database) -> None:
    migrate(database)
    with database.write() as connection:
        for statement in _STAGED:
            connection.exec_driver_sql(statement)
    migrate(database, "0008-1")
    with database.read() as connection:
        for left in ("id FROM studies", "id FROM topics", "topic_id FROM documents"):
            assert connection.execute(text(f"SELECT {left}")).scalar_one() == 2
    migrate(database)
    check_schema(database)
