"""Hiring on crowd platforms: offers, submissions, deeds, notices, and who leads."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_JSON = sa.JSON(none_as_null=True)


def upgrade() -> None:
    """Go on to this revision."""
    _add_hirings()
    _add_offers()
    _add_submissions()
    _add_deeds()
    op.create_table(
        "notices",
        _id("study_id"),
        _text("name"),
        sa.Column("content", _JSON, nullable=False),
        _time("received_at"),
        _time("handled_at", nullable=True),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_notices_study_id")),
        sa.PrimaryKeyConstraint("study_id", "name", name=op.f("pk_notices")),
    )
    op.create_table(
        "leaders",
        _text("name"),
        _text("holder"),
        _time("until"),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leaders")),
    )


def downgrade() -> None:
    """Go back to the revision before: what was published and paid is no longer known."""
    for table in ("leaders", "notices", "deeds", "submissions", "offers", "hirings"):
        op.drop_table(table)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=nullable)


def _id(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, _ID, nullable=nullable)


def _whole(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _add_hirings() -> None:
    op.create_table(
        "hirings",
        _id("study_id"),
        _text("platform"),
        _text("state"),
        _text("message"),
        _time("retry_at", nullable=True),
        sa.Column("memory", _JSON, nullable=False),
        _time("changed_at"),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_hirings_study_id")),
        sa.PrimaryKeyConstraint("study_id", name=op.f("pk_hirings")),
    )


def _add_offers() -> None:
    op.create_table(
        "offers",
        _id("id"),
        _id("study_id"),
        _text("platform"),
        *map(_whole, ("number", "places", "questions", "reward", "bonus", "price", "bonus_price")),
        _text("state"),
        _text("reference", nullable=True),
        _time("created_at"),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_offers_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_offers")),
        sa.UniqueConstraint("study_id", "number", name=op.f("uq_offers_study_id_number")),
    )


def _add_submissions() -> None:
    op.create_table(
        "submissions",
        _id("id"),
        _id("study_id"),
        _text("platform"),
        _text("session"),
        _id("worker_id"),
        _id("offer_id", nullable=True),
        _text("state"),
        sa.Column("extra", _JSON, nullable=False),
        _time("begun_at"),
        _time("finished_at", nullable=True),
        _time("created_at"),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_submissions_study_id")),
        sa.ForeignKeyConstraint(
            ["worker_id"], ["workers.id"], name=op.f("fk_submissions_worker_id")
        ),
        sa.ForeignKeyConstraint(["offer_id"], ["offers.id"], name=op.f("fk_submissions_offer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint(
            "study_id",
            "platform",
            "session",
            "worker_id",
            name=op.f("uq_submissions_study_id_platform_session_worker_id"),
        ),
    )
    op.create_index(op.f("ix_submissions_worker_id"), "submissions", ["worker_id"])
    op.create_index(op.f("ix_submissions_study_id_state"), "submissions", ["study_id", "state"])


def _add_deeds() -> None:
    references = {
        "study_id": "studies.id",
        "offer_id": "offers.id",
        "submission_id": "submissions.id",
        "worker_id": "workers.id",
    }
    op.create_table(
        "deeds",
        _id("id"),
        _id("study_id"),
        _text("platform"),
        _text("kind"),
        _text("token"),
        _id("offer_id", nullable=True),
        _id("submission_id", nullable=True),
        _id("worker_id", nullable=True),
        _text("state"),
        _whole("cost"),
        _whole("attempts"),
        sa.Column("kept", _JSON, nullable=False),
        _text("message"),
        _time("created_at"),
        _time("tried_at", nullable=True),
        _time("ended_at", nullable=True),
        *(
            sa.ForeignKeyConstraint([column], [target], name=op.f(f"fk_deeds_{column}"))
            for column, target in references.items()
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deeds")),
        sa.UniqueConstraint("study_id", "token", name=op.f("uq_deeds_study_id_token")),
    )
    op.create_index(op.f("ix_deeds_study_id_state"), "deeds", ["study_id", "state"])
