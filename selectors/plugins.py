"""Finding kinds of a thing by their names: one file each in a package of ours, or entry points.

A file's name, with dashes, is the public name of what is in it, which is the one subclass defined
there. Another package adds its own through an entry point.
"""

import importlib
import pkgutil
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

Base = TypeVar("Base")


class Plugins(Generic[Base]):
    """All kinds of a thing.

    Parameters
    ----------
    base
        The class they are subclasses of.
    package
        Where ours are.
    group
        What other packages' entry points are listed under.
    shared
        Modules of the package that hold none.
    """

    # Of any type: a base is abstract, which `type[Base]` does not take.
    def __init__(self, base: type[Any], package: str, group: str, shared: tuple[str, ...]) -> None:
        self._base, self._package, self._group, self._shared = base, package, group, shared

    def names(self) -> list[str]:
        """List the public names of all, this package's and other packages'."""
        return sorted({*self._own(), *(entry.name for entry in entry_points(group=self._group))})

    def find(self, name: str) -> type[Base] | None:
        """Return the class that goes by this name, if there is one."""
        module = self._own().get(name)
        if module is not None:
            return self._defined_in(module)
        # Looking for entry points reads every package's metadata, so only strangers pay for it.
        for entry in entry_points(group=self._group, name=name):
            found: type[Base] = entry.load()
            return found
        return None

    def load(self) -> None:
        """Import all of this package's own."""
        for module in self._own().values():
            importlib.import_module(module)

    def _own(self) -> dict[str, str]:
        """Return the modules of our package, by public name."""
        modules = pkgutil.iter_modules(importlib.import_module(self._package).__path__)
        own = [one.name for one in modules if not one.ispkg and one.name not in self._shared]
        return {name.replace("_", "-"): f"{self._package}.{name}" for name in own}

    def _defined_in(self, module: str) -> type[Base]:
        return next(
            value
            for value in vars(importlib.import_module(module)).values()
            if isinstance(value, type)
            and issubclass(value, self._base)
            and value.__module__ == module
        )
