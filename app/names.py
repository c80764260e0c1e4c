"""Names that people give to studies, topics and workers: any person's name, in any script."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

MAX_NAME_LENGTH = 200
NAME_PATTERN = r"^[^\s/\x00-\x1f\x7f-\x9f]([^/\x00-\x1f\x7f-\x9f]*[^\s/\x00-\x1f\x7f-\x9f])?$"
"""What programs are told of names before they send one; `clean_name` says what is wrong."""
ALLOWED_JOINERS = "\u200c\u200d"
"""Invisible, and needed to write Persian and the languages of India."""
_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")


def clean_name(text: str) -> str:
    """Return a name in its normal form, NFC, or say what is wrong with it.

    A name is shown on one line and stands in an address, so it has no character that is not seen
    or changes how the others are shown, and no slash.

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
"""A study, a topic or a worker as the caller calls it; fit to stand in an address."""
