"""Uploads: topics that are stored in many small transactions, and seen after the last."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_STAGED = "SELECT id FROM topics WHERE upload_id IS NOT NULL"


def upgrade() -> None:
    """Go on to this revision."""
    op.create_table(
        "uploads",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("renewed_at", sa.Double(), nullable=False),
        sa.Column("abandoned", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_uploads")),
    )
    op.add_column("topics", sa.Column("upload_id", sa.Text(), nullable=True))
    op.create_index(
        "ix_topics_upload_id",
        "topics",
        ["upload_id"],
        sqlite_where=sa.text("upload_id IS NOT NULL"),
        postgresql_where=sa.text("upload_id IS NOT NULL"),
    )


def downgrade() -> None:
    """Go back to the revision before: what has not been stored to its end is dropped."""
    op.execute(sa.text(f"DELETE FROM documents WHERE topic_id IN ({_STAGED})"))
    op.execute(sa.text("DELETE FROM topics WHERE upload_id IS NOT NULL"))
    op.execute(sa.text("DELETE FROM studies WHERE name = ''"))
    op.drop_index("ix_topics_upload_id", "topics")
    op.drop_column("topics", "upload_id")
    op.drop_table("uploads")
