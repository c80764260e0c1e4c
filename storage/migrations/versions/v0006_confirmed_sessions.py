"""Sessions that their platform has confirmed, answers of others held, and how offers end."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Go on to this revision: whoever came before is believed as before."""
    op.add_column("submissions", sa.Column("confirmed_at", sa.Double(), nullable=True))
    op.execute(sa.text("UPDATE submissions SET confirmed_at = created_at"))
    op.add_column("offers", sa.Column("ends_at", sa.Double(), nullable=True))
    op.add_column("offers", sa.Column("ended_at", sa.Double(), nullable=True))
    op.add_column("offers", sa.Column("working", sa.BigInteger(), nullable=True))
    op.add_column("assignments", sa.Column("submission_id", sa.BigInteger(), nullable=True))
    op.add_column("assignments", sa.Column("quarantine", sa.BigInteger(), nullable=True))
    op.add_column("assignments", sa.Column("held", sa.JSON(), nullable=True))
    op.create_index(
        "ix_assignments_quarantine",
        "assignments",
        ["quarantine"],
        sqlite_where=sa.text("quarantine IS NOT NULL"),
        postgresql_where=sa.text("quarantine IS NOT NULL"),
    )


def downgrade() -> None:
    """Go back to the revision before: what is in quarantine never counted, and is dropped."""
    op.drop_index("ix_assignments_quarantine", "assignments")
    op.execute(sa.text("DELETE FROM assignments WHERE quarantine IS NOT NULL"))
    # That revision knows no such state; it, too, takes late hand-ins of what was given back.
    op.execute(sa.text("UPDATE submissions SET state = 'returned' WHERE state = 'lapsed'"))
    for name in ("held", "quarantine", "submission_id"):
        op.drop_column("assignments", name)
    for name in ("working", "ended_at", "ends_at"):
        op.drop_column("offers", name)
    op.drop_column("submissions", "confirmed_at")
