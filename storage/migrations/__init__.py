"""Alembic's scripts; `nextpair.storage.migrating` runs them."""
