"""How often it failed to take in what a platform told: some times, and it is set aside."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Go on to this revision."""
    op.add_column(
        "notices", sa.Column("failures", sa.BigInteger(), nullable=False, server_default="0")
    )


def downgrade() -> None:
    """Go back to the revision before: what was set aside is tried again."""
    op.drop_column("notices", "failures")
