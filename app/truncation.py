"""Texts that may repeat what was sent, cut to what a person reads of it."""

import re

LONGEST_TEXT = 320
"""More than anything that is said here of what is wrong, with names of a usual length in it."""
_TAIL = 80
_WORD_HEAD, _WORD_TAIL = 100, 10
_LONG_WORD = re.compile(rf"(\S{{{_WORD_HEAD}}})\S{{{_WORD_TAIL},}}(\S{{{_WORD_TAIL}}})")


def shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    """Leave out the middle of long words, such as an id, and of a text that is long altogether.

    >>> shortened(f"there is no study {'x' * 1000!r}: look at the list")[100:]
    "xxxxxxxxxxxxxxxxxx…xxxxxxxx': look at the list"
    """
    if len(text) > 10 * longest:
        # So that no pattern is looked for in what is thrown away.
        text = text[: 5 * longest] + text[-5 * longest :]
    text = _LONG_WORD.sub(r"\1…\2", text)
    return text if len(text) <= longest else f"{text[: longest - _TAIL]} … {text[-_TAIL:]}"
