"""Truncation of messages that quote input."""

import re

MAX_TEXT_LENGTH = 320
"""Longer than any message of the program with names of usual length in it."""
_TAIL = 80
_WORD_HEAD, _WORD_TAIL = 100, 10
_LONG_WORD = re.compile(rf"(\S{{{_WORD_HEAD}}})\S{{{_WORD_TAIL},}}(\S{{{_WORD_TAIL}}})")


def shortened(text: str, longest: int = MAX_TEXT_LENGTH) -> str:
    """Elide the middle of long words, such as ids, and of texts that are too long.

    >>> shortened(f"there is no study {'x' * 1000!r}: look at the list")[100:]
    "xxxxxxxxxxxxxxxxxx…xxxxxxxx': look at the list"
    """
    if len(text) > 10 * longest:
        # First cut roughly, so that the pattern is not matched against what is dropped anyway.
        text = text[: 5 * longest] + text[-5 * longest :]
    text = _LONG_WORD.sub(r"\1…\2", text)
    return text if len(text) <= longest else f"{text[: longest - _TAIL]} … {text[-_TAIL:]}"
