"""Alembic's scripts; `nextpair.storage.schema_revisions` runs them."""
