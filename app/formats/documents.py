"""Reads documents from JSON Lines or CSV, one at a time."""

import json
import math
import unicodedata
from collections.abc import Container, Iterator, Mapping

from nextpair.app.formats.fields import CSV_FIELDS, CSV_IDS, JSON_FIELDS, TEXTS
from nextpair.app.formats.files import (
    BadFile,
    FileSource,
    check_storable,
    parse_number,
    read_lines,
    read_rows,
)
from nextpair.app.formats.pools import PoolDocument

LocatedDocument = tuple[str, str | None, PoolDocument]
"""The location of a document (file and line), its topic if it names one, and the document."""
Fields = Mapping[str, object]


def read_documents(path: FileSource, topic: str | None = None) -> Iterator[LocatedDocument]:
    """Yield the documents of a file: JSON Lines if it begins with a brace, otherwise CSV.

    A line of JSON is an object with `id` and the optional fields `topic`, `title`, `text`, `html`,
    `url`, `features` and `prior`. A table has a column `id` or `doc`, and optional columns of the
    same names except `features`: all other columns are features, numbers or blank.

    Duplicates are not detected here but in `merge_pools`, which keeps the documents anyway.

    Parameters
    ----------
    topic
        The topic of documents that name none; a document that names another is an error.
    """
    topic = None if topic is None else unicodedata.normalize("NFC", topic)
    _, first = next(read_lines(path), ("", ""))
    if not first:
        raise BadFile(f"{path}: the file is empty")
    if first.lstrip().startswith("["):
        raise BadFile(f"{path}: the file is a JSON array; JSON Lines have one object on each line")
    is_json = first.lstrip().startswith("{")
    for where, fields in _from_json(path) if is_json else _from_csv(path):
        named = None if fields.get("topic") is None else _topic(where, fields["topic"])
        if topic is not None and named is not None and named != topic:
            raise BadFile(f"{where}: the document is of topic {named}, not of topic {topic}")
        yield where, named or topic, _document(where, fields)


def _from_json(path: FileSource) -> Iterator[tuple[str, Fields]]:
    for where, line in read_lines(path):
        try:
            fields = json.loads(
                line, object_pairs_hook=_unique_fields, parse_constant=_refuse_constant
            )
        except json.JSONDecodeError as error:
            reason = f"{error.msg} at column {error.colno}"
            raise BadFile(f"{where}: not a JSON object on one line: {reason}") from error
        except (ValueError, RecursionError) as error:
            raise BadFile(f"{where}: {error}") from error
        if not isinstance(fields, dict):
            raise BadFile(f"{where}: not a JSON object, but {_abbreviated(fields)}")
        unknown = sorted(fields.keys() - JSON_FIELDS)
        if unknown:
            known = ", ".join(sorted(JSON_FIELDS))
            raise BadFile(f"{where}: unknown field {unknown[0]!r}; a document has {known}")
        yield where, fields


def _unique_fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {twice!r} stands twice in one object")
    return fields


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _from_csv(path: FileSource) -> Iterator[tuple[str, Fields]]:
    key = None
    for where, row in read_rows(path, ()):
        key = key or _id_column(path, row)
        texts = {name: row.get(name) or None for name in ("topic", *TEXTS)}
        features = {
            name: _cell(where, f"the column {name!r} is a feature and", text)
            for name, text in row.items()
            if name not in CSV_FIELDS
        }
        prior = _cell(where, "prior", row.get("prior", ""))
        yield where, {"id": row[key], **texts, "features": features, "prior": prior}
    if key is None:
        raise BadFile(f"{path}: there is no row below the header")


def _id_column(path: FileSource, names: Container[str]) -> str:
    columns = [name for name in CSV_IDS if name in names]
    if len(columns) != 1:
        raise BadFile(
            f"{path}:1: the header must have id or doc,"
            f" and has {' and '.join(columns) or 'neither'}"
        )
    if "" in names:
        raise BadFile(f"{path}:1: a column of the header has no name")
    if "grade" in names:
        raise BadFile(f"{path}:1: a grade is no feature; take the column out or rename it")
    return columns[0]


def _cell(where: str, what: str, text: str) -> float | None:
    return parse_number(where, what, text) if text.strip() else None


def _document(where: str, fields: Fields) -> PoolDocument:
    title, text, html, url = (_text(where, name, fields.get(name)) for name in TEXTS)
    return PoolDocument(
        _key(where, "id", fields.get("id")),
        title or "",
        text or "",
        html or None,
        url or None,
        _features(where, fields.get("features")),
        _number(where, "prior", fields.get("prior")),
    )


def _key(where: str, what: str, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    key = _text(where, what, value)
    if not key or key != key.strip():
        raise BadFile(
            f"{where}: {what} must not be missing, nor begin or end in white space,"
            f" got {_abbreviated(value)}"
        )
    return key


def _topic(where: str, value: object) -> str:
    # NFC, as in the service: the same name typed on two machines is one topic.
    return unicodedata.normalize("NFC", _key(where, "topic", value))


def _text(where: str, what: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadFile(f"{where}: {what} must be text, got {_abbreviated(value)}")
    check_storable(where, what, value)
    return value


def _features(where: str, value: object) -> dict[str, float | None]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadFile(f"{where}: features must be an object of numbers, got {_abbreviated(value)}")
    return {
        _key(where, "a feature's name", name): _number(where, f"the feature {name!r}", number)
        for name, number in value.items()
    }


def _number(where: str, what: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadFile(f"{where}: {what} must be a number, got {_abbreviated(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadFile(f"{where}: {what} must be finite, got {_abbreviated(value)}")
    return number


def _abbreviated(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
