"""Alembic runs this; the connection is given by `nextpair.storage.migrating`."""

from alembic import context

from nextpair.storage.tables import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
context.run_migrations()
