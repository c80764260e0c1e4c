"""An argument parser that refuses repeated options: argparse would silently use the last one."""

import argparse
from collections.abc import Sequence
from typing import Any

SEEN = "_seen"
"""The attribute of a namespace with the options that have been given."""

_NUMBERS: dict[Any, str] = {int: "a whole number", float: "a number"}


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
    """An argument parser that refuses an option that is given twice, unless it is repeatable."""

    def __init__(self, *positional: Any, **named: Any) -> None:
        super().__init__(*positional, **named)
        for name in (None, "store"):
            self.register("action", name, _StoreOnce)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        # argparse would name the Python type in its message.
        what = _NUMBERS.get(action.type)
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if what is None:
                raise
            raise argparse.ArgumentError(action, f"must be {what}, got {arg_string!r}") from None
