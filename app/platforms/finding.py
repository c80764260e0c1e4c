"""Finding platforms by their names, and building them."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from pydantic import SecretStr, ValidationError

from nextpair.app.platforms.base import Platform
from nextpair.selectors.errors import BadOption

ENTRY_POINTS = "nextpair.platforms"
_SHARED = ("base", "facts", "finding")


def platform_names() -> list[str]:
    """List the public names of all platforms, this package's and other packages'."""
    own = [name.replace("_", "-") for name in _own_modules()]
    return sorted({*own, *(entry.name for entry in entry_points(group=ENTRY_POINTS))})


def _own_modules() -> list[str]:
    package = importlib.import_module("nextpair.app.platforms")
    found = pkgutil.iter_modules(package.__path__)
    return [one.name for one in found if one.name not in _SHARED and not one.ispkg]


@cache
def find_platform(name: str) -> type[Platform]:
    """Return the class of the platform that goes by this name."""
    for module in _own_modules():
        if module.replace("_", "-") == name:
            return _platform_in(importlib.import_module(f"nextpair.app.platforms.{module}"))
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        found: type[Platform] = entry.load()
        return found
    raise BadOption(f"there is no platform {name!r}; there are {', '.join(platform_names())}")


def _platform_in(module: ModuleType) -> type[Platform]:
    return next(
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Platform)
        and value.__module__ == module.__name__
    )


def make_platform(name: str, options: Mapping[str, Any]) -> Platform:
    """Build a platform with its options, refusing those it does not have."""
    kind = find_platform(name)
    try:
        return kind.model_validate(options)
    except ValidationError as error:
        raise BadOption(f"platform {name!r}, option {_first_of(error)}") from None


def read_access(name: str, given: Mapping[str, Mapping[str, SecretStr]]) -> Any:
    """Read what the installation says of a platform."""
    said = given.get(name.replace("-", "_"), {})
    values = {key: secret.get_secret_value() for key, secret in said.items()}
    try:
        return find_platform(name).Access.model_validate(values)
    except ValidationError as error:
        raise BadOption(f"NEXTPAIR_PLATFORMS, platform {name!r}: {_first_of(error)}") from None


def _first_of(error: ValidationError) -> str:
    # Without the input: it may be a secret.
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where!r}: {first['msg']}"
