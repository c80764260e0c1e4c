"""Finding the classes of one kind by their names: one a file in a package of ours, or entry points.

A class says its public name itself, as `name`: neither its own name nor that of its file matters,
so both can change. Another package adds a class through an entry point of the same name.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from nextpair.selectors.errors import NextpairError

Base = TypeVar("Base")


class Plugins(Generic[Base]):
    """All classes of one kind.

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
        names = set(self._own())
        for entry in entry_points(group=self._group):
            if entry.name in names:
                raise NextpairError(f"entry point {entry.value}: {entry.name!r} is taken")
            names.add(entry.name)
        return sorted(names)

    def find(self, name: str) -> type[Base] | None:
        """Return the class that goes by this name, if there is one."""
        if found := self._own().get(name):
            return found
        # Looking for entry points reads every package's metadata, so only strangers pay for it.
        for entry in entry_points(group=self._group, name=name):
            return self._loaded(entry)
        return None

    def load(self) -> None:
        """Import all of this package's own."""
        self._own()

    def _own(self) -> dict[str, type[Base]]:
        """Return the classes of our package, by public name."""
        found: dict[str, type[Base]] = {}
        for module in self._modules():
            kind, file = self._only_class(module), _file(module)
            name = _public_name(kind, file)
            if name in found:
                taken = _file(found[name].__module__)
                raise NextpairError(f"{file}: the name {name!r} is taken by {taken}")
            found[name] = kind
        return found

    def _modules(self) -> Iterator[str]:
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__, f"{self._package}."):
            if not module.ispkg and module.name.rpartition(".")[2] not in self._shared:
                yield module.name

    def _only_class(self, module: str) -> type[Base]:
        """Return the one class that a module defines; others are only imported there."""
        values = vars(importlib.import_module(module)).values()
        kinds = {one for one in values if self._is_kind(one) and one.__module__ == module}
        if len(kinds) != 1:
            listed = " and ".join(sorted(one.__name__ for one in kinds)) or "none"
            needed = f"must define one subclass of {self._base.__name__}"
            raise NextpairError(f"{_file(module)} {needed}; it defines {listed}")
        (found,) = kinds
        kind: type[Base] = found
        return kind

    def _loaded(self, entry: EntryPoint) -> type[Base]:
        kind, where = entry.load(), f"entry point {entry.value}"
        if not self._is_kind(kind):
            raise NextpairError(f"{where} must be a subclass of {self._base.__name__}")
        name = _public_name(kind, where)
        if name != entry.name:
            raise NextpairError(f"{where}: listed as {entry.name!r}, but its name is {name!r}")
        found: type[Base] = kind
        return found

    def _is_kind(self, value: Any) -> bool:
        return isinstance(value, type) and issubclass(value, self._base)


def _public_name(kind: type[Any], where: str) -> str:
    """Return the name that a class gives itself; one that it inherits is another's."""
    name = vars(kind).get("name")
    if not isinstance(name, str) or not name:
        raise NextpairError(f'{where}: class {kind.__name__} needs a public name, `name = "..."`')
    return name


def _file(module: str) -> str:
    return str(importlib.import_module(module).__file__)
