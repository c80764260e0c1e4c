"""The base of all groups of calls, and helpers for paths, queries and bodies."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from nextpair.app.client.connection import RetryingConnection
from nextpair.app.validation_messages import first_error


class CallGroup:
    """A group of calls to one service."""

    def __init__(self, connection: RetryingConnection) -> None:
        self._connection = connection
        self._call = connection.call
        self._pages = connection.pages


def path_segment(name: str) -> str:
    """Quote a name as one segment of a path."""
    return quote(name, safe="")


def query_parameters(query: Mapping[str, object]) -> dict[str, str]:
    """Format the query parameters that are not None; the service has defaults for the others."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in query.items()
        if value is not None
    }


def dump_set_fields(shape: BaseModel) -> dict[str, Any]:
    """Dump the fields of a model that are set."""
    return shape.model_dump(mode="json", exclude_unset=True)


def validated_body(shape: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Any]:
    """Validate a body before it is sent: a misspelt setting fails where it is written."""
    try:
        return dump_set_fields(shape.model_validate(values))
    except ValidationError as error:
        raise TypeError(": ".join(filter(None, first_error(error)))) from None
