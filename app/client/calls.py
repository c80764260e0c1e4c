"""What every call is made with."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from nextpair.app.client.connection import Connection
from nextpair.app.validation_messages import first_of


class Calls:
    """Calls to one service."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._call = connection.call
        self._pages = connection.pages


def at(name: str) -> str:
    """Write a name as part of an address."""
    return quote(name, safe="")


def given(query: Mapping[str, object]) -> dict[str, str]:
    """Write what is given of a query; the rest is left to the service."""
    told = {name: value for name, value in query.items() if value is not None}
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in told.items()
    }


def dump(shape: BaseModel) -> dict[str, Any]:
    """Write what is set of a shape."""
    return shape.model_dump(mode="json", exclude_unset=True)


def checked(shape: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Any]:
    """Check what is sent before it is: a misspelt setting is told where it was written."""
    try:
        return dump(shape.model_validate(values))
    except ValidationError as error:
        raise TypeError(": ".join(filter(None, first_of(error)))) from None
