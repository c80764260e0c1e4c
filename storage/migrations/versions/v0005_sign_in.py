"""One-time codes that sign a browser in, and nobody comes by an open link unasked."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Go on to this revision."""
    op.create_table(
        "sign_ins",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name=op.f("fk_sign_ins_key_id")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_sign_ins")),
    )
    op.add_column("keys", sa.Column("expires_at", sa.Double(), nullable=True))
    op.add_column("keys", sa.Column("parent", sa.Text(), nullable=True))
    _close_links()


def downgrade() -> None:
    """Go back to the revision before: browsers that are signed in are signed out."""
    # That revision would take keys of browsers for keys without an end.
    connection = op.get_bind()
    connection.execute(
        sa.text(
            "DELETE FROM requests WHERE key_id IN (SELECT id FROM keys WHERE parent IS NOT NULL)"
        )
    )
    op.drop_table("sign_ins")
    connection.execute(sa.text("DELETE FROM keys WHERE parent IS NOT NULL"))
    op.drop_column("keys", "parent")
    op.drop_column("keys", "expires_at")
    _set_platform("invited", "link")


def _close_links() -> None:
    """Turn `link` into `invited` where nobody has asked for it.

    It was the default, and is stored like a wish. A study whose link has options, or has let
    someone in, keeps it.
    """
    _set_platform("link", "invited")


def _set_platform(before: str, after: str) -> None:
    connection = op.get_bind()
    studies = sa.table("studies", sa.column("id", sa.BigInteger), sa.column("settings", sa.JSON))
    used = sa.text("SELECT DISTINCT study_id FROM submissions WHERE platform = :platform")
    kept = {row[0] for row in connection.execute(used, {"platform": before})}
    for study_id, settings in connection.execute(sa.select(studies.c.id, studies.c.settings)).all():
        asked = study_id in kept or settings.get("platform_options")
        if asked or settings.get("platform") != before:
            continue
        changed = {**settings, "platform": after}
        connection.execute(
            sa.update(studies).where(studies.c.id == study_id).values(settings=changed)
        )
