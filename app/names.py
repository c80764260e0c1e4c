"""Validation of the names of studies, topics and workers, in any script."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

MAX_NAME_LENGTH = 200
NAME_PATTERN = r"^[^\s/\x00-\x1f\x7f-\x9f]([^/\x00-\x1f\x7f-\x9f]*[^\s/\x00-\x1f\x7f-\x9f])?$"
"""The pattern of names in schemas; `clean_name` has the complete rules and the messages."""
ALLOWED_JOINERS = "\u200c\u200d"
"""Invisible characters that are needed to write Persian and the languages of India."""
_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")


def clean_name(text: str) -> str:
    """Return a name in its normal form, NFC, or raise an error that says what is wrong.

    A name is shown on one line and is part of URLs, so it must not have invisible or formatting
    characters, nor a slash.

    >>> clean_name("Zoe\u0308") == "Zo\u00eb"
    True
    """
    name = unicodedata.normalize("NFC", text)
    if not name or name != name.strip():
        raise ValueError("a name must not be empty, nor begin or end with a space")
    if len(name) > MAX_NAME_LENGTH:
        raise ValueError(f"a name has at most {MAX_NAME_LENGTH} characters")
    if "/" in name:
        raise ValueError("a name must not contain a slash (/)")
    if name in (".", ".."):
        raise ValueError("a name must not be . or .., which mean folders in an address")
    for character in name:
        if unicodedata.category(character) in _INVISIBLE and character not in ALLOWED_JOINERS:
            raise ValueError(
                f"a name must not contain the invisible character U+{ord(character):04X}"
            )
    return name


Name = Annotated[
    str,
    AfterValidator(clean_name),
    Field(
        json_schema_extra={"pattern": NAME_PATTERN, "minLength": 1, "maxLength": MAX_NAME_LENGTH}
    ),
]
"""The name of a study, a topic or a worker; valid as one segment of a URL."""
