r"""Escaping of CSV cells against formula injection in spreadsheets, and its inverse.

A cell that begins with = + - @, a tab or a carriage return gets an apostrophe before it, and one
that begins so after apostrophes gets one more; reading removes one. Plain numbers are unchanged.

>>> [escape_cell(text) for text in ("=1+1", "-1.5", "a=1", "'=1", "'tis", None, -2.0)]
["'=1+1", '-1.5', 'a=1', "''=1", "'tis", None, -2.0]
>>> [unescape_cell(text) for text in ("'=1+1", "-1.5", "''=1", "'tis")]
['=1+1', '-1.5', "'=1", "'tis"]
"""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_WRITTEN = re.compile(r"'+[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def escape_cell(value: object) -> object:
    """Escape a value, so that no spreadsheet takes it for a formula."""
    if not isinstance(value, str) or _NUMBER.fullmatch(value) or not _FORMULA.match(value):
        return value
    return f"'{value}"


def unescape_cell(text: str) -> str:
    """Return the text that `escape_cell` escaped; any other stays as it is."""
    return text[1:] if _WRITTEN.match(text) else text
