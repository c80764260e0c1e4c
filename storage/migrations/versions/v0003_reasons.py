"""Why a worker gave a question back."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Go on to this revision."""
    op.add_column("assignments", sa.Column("reason", sa.Text(), nullable=True))


def downgrade() -> None:
    """Go back to the revision before."""
    op.drop_column("assignments", "reason")
