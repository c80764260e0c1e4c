"""A parser that takes every word once: of two values, one would silently be passed over."""

import argparse
from collections.abc import Sequence
from typing import Any

SEEN = "_seen"
"""Where a namespace keeps which words have been given."""


class _StoreOnce(argparse._StoreAction):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        seen: Sequence[str] = getattr(namespace, SEEN, ())
        if option_string is not None and self.dest in seen:
            several = self.nargs in ("+", "*")
            how = f"{option_string} A B names several" if several else "give it once"
            raise argparse.ArgumentError(self, f"given twice; {how}")
        setattr(namespace, SEEN, (*seen, self.dest))
        super().__call__(parser, namespace, values, option_string)


class Parser(argparse.ArgumentParser):
    """An argument parser that refuses an option which is given twice, unless it is a list."""

    def __init__(self, *words: Any, **named: Any) -> None:
        super().__init__(*words, **named)
        for name in (None, "store"):
            self.register("action", name, _StoreOnce)
