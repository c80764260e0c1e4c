"""Designs other than preference, questions with known answers, and verdicts on workers.

SQLite cannot change a constraint, so the tables whose constraints change are made anew there and
filled from the old ones, children first when the old ones go: no reference is ever left hanging.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_PAIR = ("topic_id", "worker_id", "first", "second")
_OLD_UNIQUE = "uq_assignments_topic_id_worker_id_first_second"
_NEW_UNIQUE = "uq_assignments_topic_id_worker_id_first_second_purpose"
_UNANSWERED = sa.text("state != 'answered'")
_ASIDE = sa.text("purpose != 'work'")


def upgrade() -> None:
    """Go on to this revision."""
    op.add_column("topics", sa.Column("golds", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("topics", sa.Column("understanding", sa.JSON(none_as_null=True), nullable=True))
    _add_tables()
    if op.get_bind().dialect.name == "sqlite":
        _rebuild(new=True)
        return
    op.add_column(
        "assignments", sa.Column("purpose", sa.Text(), server_default="work", nullable=False)
    )
    op.add_column("assignments", sa.Column("subject", sa.BigInteger(), nullable=True))
    op.add_column("assignments", sa.Column("batch", sa.BigInteger(), nullable=True))
    op.drop_constraint(_OLD_UNIQUE, "assignments")
    op.create_unique_constraint(_NEW_UNIQUE, "assignments", [*_PAIR, "purpose"])
    op.drop_constraint(op.f("ck_assignments_ordered"), "assignments")
    op.create_check_constraint(op.f("ck_assignments_ordered"), "assignments", "first <= second")
    _index_aside()
    op.alter_column("judgments", "outcome", existing_type=sa.Text(), nullable=True)
    op.add_column(
        "judgments", sa.Column("purpose", sa.Text(), server_default="work", nullable=False)
    )
    op.add_column("judgments", sa.Column("subject", sa.BigInteger(), nullable=True))
    op.add_column("judgments", sa.Column("correct", sa.Boolean(), nullable=True))


def downgrade() -> None:
    """Go back to the one before; what only this one can hold is lost."""
    _forget_what_is_new()
    op.drop_table("verdicts")
    op.drop_table("golds")
    if op.get_bind().dialect.name == "sqlite":
        _rebuild(new=False)
    else:
        for column in ("correct", "subject", "purpose"):
            op.drop_column("judgments", column)
        op.alter_column("judgments", "outcome", existing_type=sa.Text(), nullable=False)
        op.drop_index("ix_assignments_aside", "assignments")
        op.drop_constraint(op.f("ck_assignments_ordered"), "assignments")
        op.create_check_constraint(op.f("ck_assignments_ordered"), "assignments", "first < second")
        op.drop_constraint(_NEW_UNIQUE, "assignments")
        op.create_unique_constraint(_OLD_UNIQUE, "assignments", list(_PAIR))
        for column in ("batch", "subject", "purpose"):
            op.drop_column("assignments", column)
    op.drop_column("topics", "understanding")
    op.drop_column("topics", "golds")


def _forget_what_is_new() -> None:
    gone = (
        "SELECT number FROM assignments AS a WHERE a.topic_id = {table}.topic_id"
        " AND (a.purpose != 'work' OR a.first = a.second)"
    )
    judged = f"assignment IN ({gone.format(table='judgments')})"
    op.execute(
        "DELETE FROM retractions WHERE EXISTS (SELECT 1 FROM judgments WHERE"
        " judgments.topic_id = retractions.topic_id AND judgments.number = retractions.judgment"
        f" AND {judged})"
    )
    op.execute(f"DELETE FROM judgments WHERE {judged}")
    op.execute("DELETE FROM assignments WHERE purpose != 'work' OR first = second")
    op.execute("DELETE FROM documents WHERE position >= 1000000000")


def _add_tables() -> None:
    op.create_table(
        "golds",
        sa.Column("topic_id", _ID, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("second", sa.BigInteger(), nullable=False),
        sa.Column("answer", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("quiz", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("first <= second", name=op.f("ck_golds_ordered")),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_golds_topic_id")),
        sa.PrimaryKeyConstraint("topic_id", "number", name=op.f("pk_golds")),
        sa.UniqueConstraint(
            "topic_id", "first", "second", "quiz", name=op.f("uq_golds_topic_id_first_second_quiz")
        ),
    )
    op.create_table(
        "verdicts",
        sa.Column("topic_id", _ID, nullable=False),
        sa.Column("worker_id", _ID, nullable=False),
        sa.Column("check", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("effect", sa.Text(), nullable=False),
        sa.Column("details", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_verdicts_topic_id")),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name=op.f("fk_verdicts_worker_id")),
        sa.PrimaryKeyConstraint(
            "topic_id", "worker_id", "check", "number", "attempt", name=op.f("pk_verdicts")
        ),
    )
    op.create_index(op.f("ix_verdicts_worker_id"), "verdicts", ["worker_id"])


# -- SQLite: the tables made anew ---------------------------------------------------------------


def _rebuild(*, new: bool) -> None:
    for name in ("assignments", "judgments", "retractions"):
        for index in sa.inspect(op.get_bind()).get_indexes(name):
            op.drop_index(str(index["name"]), name)
    _create_assignments("new_assignments", new=new)
    _create_judgments("new_judgments", new=new)
    _create_retractions("new_retractions")
    for name in ("assignments", "judgments", "retractions"):
        both = _columns(name) & _columns(f"new_{name}")
        listed = ", ".join(f'"{column}"' for column in sorted(both))
        op.execute(f"INSERT INTO new_{name} ({listed}) SELECT {listed} FROM {name}")
    for name in ("retractions", "judgments", "assignments"):
        op.drop_table(name)
    for name in ("assignments", "judgments", "retractions"):
        # The references between the new tables follow their names.
        op.rename_table(f"new_{name}", name)
    _create_indexes(new=new)


def _columns(table: str) -> set[str]:
    return {str(column["name"]) for column in sa.inspect(op.get_bind()).get_columns(table)}


def _create_assignments(name: str, *, new: bool) -> None:
    unique = [*_PAIR, "purpose"] if new else list(_PAIR)
    op.create_table(
        name,
        sa.Column("topic_id", _ID, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("worker_id", _ID, nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("second", sa.BigInteger(), nullable=False),
        sa.Column("swapped", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("request", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        *(_assignment_columns() if new else ()),
        sa.CheckConstraint(
            "first <= second" if new else "first < second", name=op.f("ck_assignments_ordered")
        ),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_assignments_topic_id")),
        sa.ForeignKeyConstraint(
            ["worker_id"], ["workers.id"], name=op.f("fk_assignments_worker_id")
        ),
        sa.PrimaryKeyConstraint("topic_id", "number", name=op.f("pk_assignments")),
        sa.UniqueConstraint(*unique, name=op.f(_NEW_UNIQUE if new else _OLD_UNIQUE)),
    )


def _assignment_columns() -> Sequence[sa.Column[object]]:
    return (
        sa.Column("purpose", sa.Text(), server_default="work", nullable=False),
        sa.Column("subject", sa.BigInteger(), nullable=True),
        sa.Column("batch", sa.BigInteger(), nullable=True),
    )


def _create_judgments(name: str, *, new: bool) -> None:
    added: Sequence[sa.Column[object]] = (
        sa.Column("purpose", sa.Text(), server_default="work", nullable=False),
        sa.Column("subject", sa.BigInteger(), nullable=True),
        sa.Column("correct", sa.Boolean(), nullable=True),
    )
    op.create_table(
        name,
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("assignment", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("worker_id", _ID, nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("second", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=new),
        sa.Column("answer", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        *(added if new else ()),
        sa.ForeignKeyConstraint(
            ["topic_id", "assignment"],
            ["new_assignments.topic_id", "new_assignments.number"],
            name=op.f("fk_judgments_topic_id_assignment"),
        ),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name=op.f("fk_judgments_worker_id")),
        sa.PrimaryKeyConstraint("topic_id", "number", name=op.f("pk_judgments")),
        sa.UniqueConstraint(
            "topic_id",
            "assignment",
            "attempt",
            name=op.f("uq_judgments_topic_id_assignment_attempt"),
        ),
    )


def _create_retractions(name: str) -> None:
    op.create_table(
        name,
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("judgment", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["topic_id", "judgment"],
            ["new_judgments.topic_id", "new_judgments.number"],
            name=op.f("fk_retractions_topic_id_judgment"),
        ),
        sa.PrimaryKeyConstraint("topic_id", "judgment", name=op.f("pk_retractions")),
    )


def _create_indexes(*, new: bool) -> None:
    op.create_index(op.f("ix_assignments_topic_id_version"), "assignments", ["topic_id", "version"])
    op.create_index(
        op.f("ix_assignments_worker_id_request"), "assignments", ["worker_id", "request"]
    )
    op.create_index(
        "ix_assignments_unanswered", "assignments", ["topic_id"], sqlite_where=_UNANSWERED
    )
    if new:
        _index_aside()
    op.create_index(
        op.f("ix_judgments_worker_id_created_at"), "judgments", ["worker_id", "created_at"]
    )
    op.create_index(op.f("ix_retractions_topic_id_number"), "retractions", ["topic_id", "number"])


def _index_aside() -> None:
    op.create_index(
        "ix_assignments_aside",
        "assignments",
        ["topic_id"],
        sqlite_where=_ASIDE,
        postgresql_where=_ASIDE,
    )
