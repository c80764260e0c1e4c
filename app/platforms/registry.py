"""Finding platforms by their names, and building them."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import SecretStr, ValidationError

from nextpair.app.platforms.base import Platform
from nextpair.app.validation_messages import first_error
from nextpair.selectors.errors import BadOption
from nextpair.selectors.plugins import Plugins

_PLATFORMS: Plugins[Platform] = Plugins(
    Platform, "nextpair.app.platforms", "nextpair.platforms", ("base", "messages", "registry")
)


def platform_names() -> list[str]:
    """List the public names of all platforms, this package's and other packages'."""
    return _PLATFORMS.names()


@cache
def find_platform(name: str) -> type[Platform]:
    """Return the class of the platform that goes by this name."""
    found = _PLATFORMS.find(name)
    if found is None:
        raise BadOption(f"there is no platform {name!r}; there are {', '.join(platform_names())}")
    return found


def make_platform(name: str, options: Mapping[str, Any]) -> Platform:
    """Build a platform with its options, refusing those it does not have."""
    kind = find_platform(name)
    try:
        return kind.model_validate(options)
    except ValidationError as error:
        raise BadOption(f"platform {name!r}, option {_first_of(error)}") from None


def read_access(name: str, settings: Mapping[str, Mapping[str, SecretStr]]) -> Any:
    """Validate the installation's settings of a platform."""
    secrets = settings.get(name.replace("-", "_"), {})
    values = {key: secret.get_secret_value() for key, secret in secrets.items()}
    try:
        return find_platform(name).Access.model_validate(values)
    except ValidationError as error:
        raise BadOption(f"NEXTPAIR_PLATFORMS, platform {name!r}: {_first_of(error)}") from None


def _first_of(error: ValidationError) -> str:
    where, what = first_error(error)
    return f"{where!r}: {what}" if where else what
