"""The service's tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Go on to this revision."""
    op.create_table(
        "keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("revoked_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keys")),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
    )
    op.create_table(
        "studies",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studies")),
        sa.UniqueConstraint("name", name=op.f("uq_studies_name")),
    )
    op.create_table(
        "requests",
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("answer", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name=op.f("fk_requests_key_id")),
        sa.PrimaryKeyConstraint("key_id", "idempotency_key", name=op.f("pk_requests")),
    )
    op.create_table(
        "topics",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("narrative", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("documents", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("asked", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_topics_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topics")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_topics_study_id_name")),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_workers_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_workers_study_id_name")),
    )
    op.create_table(
        "assignments",
        sa.Column("topic_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column(
            "worker_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("second", sa.BigInteger(), nullable=False),
        sa.Column("swapped", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("request", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("first < second", name=op.f("ck_assignments_ordered")),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_assignments_topic_id")),
        sa.ForeignKeyConstraint(
            ["worker_id"], ["workers.id"], name=op.f("fk_assignments_worker_id")
        ),
        sa.PrimaryKeyConstraint("topic_id", "number", name=op.f("pk_assignments")),
        sa.UniqueConstraint(
            "topic_id",
            "worker_id",
            "first",
            "second",
            name=op.f("uq_assignments_topic_id_worker_id_first_second"),
        ),
    )
    with op.batch_alter_table("assignments", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_assignments_topic_id_version"), ["topic_id", "version"], unique=False
        )
        batch_op.create_index(
            "ix_assignments_unanswered",
            ["topic_id"],
            unique=False,
            sqlite_where=sa.text("state != 'answered'"),
            postgresql_where=sa.text("state != 'answered'"),
        )
        batch_op.create_index(
            batch_op.f("ix_assignments_worker_id_request"), ["worker_id", "request"], unique=False
        )

    op.create_table(
        "documents",
        sa.Column("topic_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("features", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("prior", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_documents_topic_id")),
        sa.PrimaryKeyConstraint("topic_id", "position", name=op.f("pk_documents")),
        sa.UniqueConstraint("topic_id", "name", name=op.f("uq_documents_topic_id_name")),
    )
    op.create_table(
        "judgments",
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("assignment", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column(
            "worker_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("second", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("answer", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["topic_id", "assignment"],
            ["assignments.topic_id", "assignments.number"],
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
    with op.batch_alter_table("judgments", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_judgments_worker_id_created_at"),
            ["worker_id", "created_at"],
            unique=False,
        )

    op.create_table(
        "retractions",
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("judgment", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["topic_id", "judgment"],
            ["judgments.topic_id", "judgments.number"],
            name=op.f("fk_retractions_topic_id_judgment"),
        ),
        sa.PrimaryKeyConstraint("topic_id", "judgment", name=op.f("pk_retractions")),
    )
    with op.batch_alter_table("retractions", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_retractions_topic_id_number"), ["topic_id", "number"], unique=False
        )


def downgrade() -> None:
    """Go back to the one before."""
    with op.batch_alter_table("retractions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_retractions_topic_id_number"))

    op.drop_table("retractions")
    with op.batch_alter_table("judgments", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_judgments_worker_id_created_at"))

    op.drop_table("judgments")
    op.drop_table("documents")
    with op.batch_alter_table("assignments", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_assignments_worker_id_request"))
        batch_op.drop_index(
            "ix_assignments_unanswered",
            sqlite_where=sa.text("state != 'answered'"),
            postgresql_where=sa.text("state != 'answered'"),
        )
        batch_op.drop_index(batch_op.f("ix_assignments_topic_id_version"))

    op.drop_table("assignments")
    op.drop_table("workers")
    op.drop_table("topics")
    op.drop_table("requests")
    op.drop_table("studies")
    op.drop_table("secrets")
    op.drop_table("keys")
