"""What an error may say to people: no types of Python, no patterns, no names of classes."""

import re

from nextpair.app.validation_messages import UNKNOWN

QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
"""What was sent, which may hold anything."""
NOT_PLAIN = {
    "an enum's repr": re.compile(r"<\w+[.:]"),
    "an enum's member": re.compile(r"\b[A-Z]\w*\.[A-Z_]{2,}\b"),
    "a regular expression": re.compile(
        r"\^\[|\^\(|\\x|\[\^|\]\{|\bregular expression\b|\bpattern\b"
    ),
    "the words of pydantic": re.compile(
        r"Input should|Value error|Field required|Extra inputs|String should|List should"
        r"|valid (string|integer|boolean|number|dictionary|list)"
    ),
    "the name of a type": re.compile(
        r"\b(NoneType|dict|tuple|str|int|bool|bytes|float|instance of|constrained-\w+|type)\b(?!\()"
    ),
    "the name of a class": re.compile(r"\b[A-Z][a-z]+[A-Z]\w*(In|Out|Wire|Error|Rule|Settings)\b"),
    "nothing at all": re.compile(re.escape(UNKNOWN)),
}


def assert_plain(said: str) -> None:
    """Fail if an error says something that only a programmer of nextpair understands."""
    words = QUOTED.sub("''", said)
    for what, pattern in NOT_PLAIN.items():
        assert not pattern.search(words), f"{what} in: {said}"
