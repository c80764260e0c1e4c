"""Alembic runs this: for `nextpair.storage.schema_revisions`, or for its own command line."""

import os

from alembic import context

from nextpair.storage.database import Connection, Database
from nextpair.storage.hiring_tables import Base


def run(connection: Connection) -> None:
    """Run the scripts on a connection."""
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    with Database(os.environ["NEXTPAIR_DATABASE"]).write() as own:
        run(own)
