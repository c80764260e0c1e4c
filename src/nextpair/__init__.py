"""nextpair: active preference judging. This module is the public interface of the library.

What is not listed here is internal and may change in any version; docs/stability.md has the policy.

- `Client` calls a service. `TopicIn`, `DocumentIn`, `GoldIn`, `GoldsIn` and `UnderstandingRule` are
  what it sends.
- `Topic` judges without a service: made of `Document`s and `Settings`, it absorbs `Judgment`s and
  selects the next pair, or returns an `Idle`, which says why there is none.
- `simulate` measures selectors with simulated workers, and returns a `Simulation`.

All errors have one root, and each has a `code` that does not change:

    NextpairError              nextpair cannot do this
    ├── BadInput               the input is not valid; it is a ValueError, too
    │   ├── BadOption          an option or setting has a value that is not valid
    │   ├── UnknownDocument    the topic has no such document
    │   └── UnknownSelector    there is no selector of this name
    ├── Refused                the service refused a call; `problem` says why
    └── Unreachable            the service does not answer

More specific errors exist below these; tell them apart by `code`.

Names are imported when they are first used: a program that only needs `Client` does not load NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nextpair.app.client import Client, Refused, Unreachable
    from nextpair.app.schemas.topics import DocumentIn, GoldIn, GoldsIn, TopicIn, UnderstandingRule
    from nextpair.app.simulation.api import simulate
    from nextpair.app.simulation.crowd import CrowdSettings
    from nextpair.app.simulation.results import Simulation
    from nextpair.selectors.base import End, Idle
    from nextpair.selectors.errors import (
        BadInput,
        BadOption,
        NextpairError,
        UnknownDocument,
        UnknownSelector,
    )
    from nextpair.selectors.state.documents import Document
    from nextpair.selectors.state.judgments import Judgment, Outcome
    from nextpair.selectors.state.settings import ConflictPolicy, Judges, Lease, Settings
    from nextpair.selectors.state.topic_state import Topic

    __version__: str

__all__ = [
    "BadInput",
    "BadOption",
    "Client",
    "ConflictPolicy",
    "CrowdSettings",
    "Document",
    "DocumentIn",
    "End",
    "GoldIn",
    "GoldsIn",
    "Idle",
    "Judges",
    "Judgment",
    "Lease",
    "NextpairError",
    "Outcome",
    "Refused",
    "Settings",
    "Simulation",
    "Topic",
    "TopicIn",
    "UnderstandingRule",
    "UnknownDocument",
    "UnknownSelector",
    "Unreachable",
    "__version__",
    "simulate",
]

_MODULES = {
    "nextpair.app.client": ("Client", "Refused", "Unreachable"),
    "nextpair.app.simulation.api": ("simulate",),
    "nextpair.app.simulation.crowd": ("CrowdSettings",),
    "nextpair.app.simulation.results": ("Simulation",),
    "nextpair.app.schemas.topics": (
        "DocumentIn",
        "GoldIn",
        "GoldsIn",
        "TopicIn",
        "UnderstandingRule",
    ),
    "nextpair.selectors.base": ("End", "Idle"),
    "nextpair.selectors.errors": (
        "BadInput",
        "BadOption",
        "NextpairError",
        "UnknownDocument",
        "UnknownSelector",
    ),
    "nextpair.selectors.state.documents": ("Document",),
    "nextpair.selectors.state.judgments": ("Judgment", "Outcome"),
    "nextpair.selectors.state.settings": ("ConflictPolicy", "Judges", "Lease", "Settings"),
    "nextpair.selectors.state.topic_state": ("Topic",),
}
"""Where each name is imported from when it is first used; type checkers read the imports above."""
_HOME = {name: module for module, names in _MODULES.items() for name in names}


# Type checkers would take a `__getattr__` for a promise that every name exists.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "__version__":
            value: object = import_module("importlib.metadata").version("nextpair")
        elif name in _HOME:
            value = getattr(import_module(_HOME[name]), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
