"""Plain-language messages for validation errors, without Python types, patterns or class names.

They replace pydantic's own messages for people who send a request, a file or a setting.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from nextpair.app.names import NAME_PATTERN

NUL = r"^[^\x00]*$"
PATTERN_MESSAGES = {
    NUL: "must not have the character NUL",
    r"^[^\x00-\x1f\x7f]+$": "must have no line breaks, tabs or other control characters",
    NAME_PATTERN: "must be a name without slashes, invisible characters and spaces at its ends",
    r"^[A-Za-z0-9_-]{1,100}$": "must have 1 to 100 letters without accents, digits, _ and -",
    r"^[A-Z]{3}$": "must be the three capital letters of a currency, such as USD",
    r"^[A-Z]{2}$": "must be the two capital letters of a country, such as US",
    r"^[0-9]{1,15}-[0-9]{1,15}$": "must be two numbers with a dash between them, such as 1-1",
    r"^[0-9a-f]{32}$": "must have 32 digits and letters from a to f",
    r"^[\x21-\x7e]+$": "must have letters without accents, digits and punctuation, and no spaces",
    r"^[A-Za-z0-9.:/*\[\]-]+$": "must be an address such as https://example.org",
    r"^(https?://[^\s?#]+)?$": "must be an address that begins with http:// or https:// and has"
    " no ? and no #",
    r"^https?://[A-Za-z0-9.:\[\]-]+$": "must be an address such as https://example.org",
    r"^[A-Za-z0-9_.-]{1,100}$": "must have 1 to 100 letters without accents, digits and _ . -",
    r"^[A-Za-z0-9_.-]{0,100}$": "must have at most 100 letters without accents, digits and _ . -",
    "^[A-Za-z0-9]{4,40}$": "must have 4 to 40 letters without accents and digits",
    "^[A-Z_]{2,40}$": "must have 2 to 40 capital letters and _",
    "^[A-Za-z0-9_]{1,60}$": "must have 1 to 60 letters without accents, digits and _",
    "^(POST|PUT)$": "must be POST or PUT",
    "^(verb|field)$": "must be verb or field",
    "^(css|js|title)$": "must be css, js or title",
    r"^(\w+(=\w+)?)?$": "must be a name, or a name and a value with = between them",
    r"^[\w.]{0,60}$": "must have at most 60 letters, digits and _ .",
}
"""The message for each pattern; a test checks that every pattern in use is here."""

_Context = Mapping[str, Any]
_MESSAGES: dict[str, str | Callable[[_Context], str]] = {
    "missing": "is missing",
    "missing_argument": "is missing",
    "extra_forbidden": "is not known here",
    "unexpected_keyword_argument": "is not known here",
    "string_type": "must be text",
    "string_sub_type": "must be text",
    "string_unicode": "must be text in UTF-8",
    "string_too_short": lambda of: f"must have at least {_counted(of, 'min_length', 'character')}",
    "string_too_long": lambda of: f"must have at most {_counted(of, 'max_length', 'character')}",
    "too_short": lambda of: f"must have at least {_counted(of, 'min_length', 'item')}",
    "too_long": lambda of: f"must have at most {_counted(of, 'max_length', 'item')}",
    "bytes_too_long": lambda of: f"must have at most {_counted(of, 'max_length', 'byte')}",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing_size": "must be a whole number that is not so large",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "dict_type": "must be an object",
    "mapping_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dataclass_type": "must be an object",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "set_type": "must be a list",
    "frozen_set_type": "must be a list",
    "iterable_type": "must be a list",
    "invalid_key": "must have names that are text",
    "none_required": "must be null",
    "greater_than": lambda of: f"must be more than {_number(of['gt'])}",
    "greater_than_equal": lambda of: f"must be at least {_number(of['ge'])}",
    "less_than": lambda of: f"must be less than {_number(of['lt'])}",
    "less_than_equal": lambda of: f"must be at most {_number(of['le'])}",
    "multiple_of": lambda of: f"must be a multiple of {_number(of['multiple_of'])}",
    "enum": lambda of: f"must be {_unquoted(of['expected'])}",
    "literal_error": lambda of: f"must be {_unquoted(of['expected'])}",
    "string_pattern_mismatch": lambda of: PATTERN_MESSAGES.get(of["pattern"], FALLBACK_MESSAGE),
    "value_error": lambda of: str(of["error"]),
    "assertion_error": lambda of: str(of["error"]),
    "json_invalid": lambda of: f"is not JSON: {of['error']}",
    "json_type": "must be JSON",
}
FALLBACK_MESSAGE = "is not as it must be"


def error_message(error: Mapping[str, Any]) -> str:
    """Return the message for one of pydantic's errors; errors from elsewhere have their own.

    >>> error_message({"type": "less_than_equal", "ctx": {"le": 99}, "msg": "Input …"})
    'must be at most 99'
    """
    if "type" not in error:
        return str(error["msg"])
    words = _MESSAGES.get(error["type"], FALLBACK_MESSAGE)
    return words if isinstance(words, str) else words(error.get("ctx", {}))


def first_error(error: ValidationError) -> tuple[str, str]:
    """Return the place and the message of the first error, without the input: it may be secret."""
    (first, *_) = errors_by_place(error.errors(include_url=False))
    return first


def errors_by_place(
    errors: Iterable[Mapping[str, Any]], body: object = None, root: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Merge errors by place: one message each, also where several types of a union were tried.

    Parameters
    ----------
    body
        The input, if it is available: places then contain only keys that exist in it.
    root
        The prefix of the places in the body.
    """
    messages_by_place: dict[str, list[str]] = {}
    for error in errors:
        where = ".".join(_place(error, body, root))
        messages = messages_by_place.setdefault(where, [])
        if (message := error_message(error)) not in messages:
            messages.append(message)
    return [(where, " or ".join(messages)) for where, messages in messages_by_place.items()]


def _place(error: Mapping[str, Any], body: object, root: Sequence[str]) -> list[str]:
    """Return the parts of a place, without the names of the types of a union."""
    parts = list(error["loc"])
    if body is not None and tuple(parts[: len(root)]) == tuple(root):
        return [*root, *_in(body, parts[len(root) :], error)]
    return [str(part) for part in parts if _is_plain(part)]


def _in(value: object, parts: Sequence[object], error: Mapping[str, Any]) -> list[str]:
    path: list[str] = []
    for place, part in enumerate(parts):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif not (error.get("type") == "missing" and place == len(parts) - 1):
            continue
        path.append(str(part))
    return path


def _is_plain(part: object) -> bool:
    """Say whether a part does not look like the name of a type."""
    if not isinstance(part, str):
        return True
    return not (set(part) & set("[]()")) and not part.startswith(("constrained-", "function-"))


def _counted(context: _Context, name: str, noun: str) -> str:
    count = context[name]
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _number(value: object) -> str:
    """Format a number: 0 and not 0.0."""
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:,.0f}" if whole or isinstance(value, int) else str(value)


def _unquoted(expected: str) -> str:
    return expected.replace("'", "")
