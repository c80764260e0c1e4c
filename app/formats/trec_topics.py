"""Reads TREC topics in three formats: SGML, XML, or two columns, `id<TAB>query`."""

import html
import re
from collections.abc import Callable, Iterator, Mapping

from nextpair.app.formats.files import BadFile, FileSource, read_all_lines, read_lines
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.topic_drafts import TopicDraft
from nextpair.app.formats.trec_topics_xml import read_xml_drafts

KIND = re.compile(r"<(top|topic)[\s>]", re.IGNORECASE)
TAG = re.compile(
    r"<(?P<end>/?)(?:[a-z]{2}-)?"  # CLEF puts a language before the name: <EN-title>
    r"(?P<name>top|num|title|query|desc|narr"
    r"|head|dom|smry|con|fac|def|nat|time|docs|querytime|querytweettime)\s*>",
    re.IGNORECASE,
)
LABELS = {
    "num": re.compile(r"^\s*Number\s*:", re.IGNORECASE),
    "title": re.compile(r"^\s*Topic\s*:", re.IGNORECASE),
    "desc": re.compile(r"^\s*Description\s*:", re.IGNORECASE),
    "narr": re.compile(r"^\s*Narrative\s*:", re.IGNORECASE),
}
ENTITY = re.compile(r"&#?\w+;")


def read_topics(path: FileSource) -> list[Pool]:
    """Read topics, in the order of the file, as pools without documents.

    The format is detected from the content: `<top>` opens a topic of the ad hoc tracks (SGML, whose
    end tags and labels such as `Number:` are optional), `<topic ...>` one of the later tracks
    (XML), and a file without markup has two columns. Numbers are kept as written: `051` is not
    `51`. The subtopics of the web tracks are ignored: a topic is judged by its description.
    """
    pools: dict[str, Pool] = {}
    for draft in _detect_reader(path)(path):
        pool = _pool(draft)
        if pool.topic in pools:
            raise BadFile(f"{draft.where}: topic {pool.topic} stands in the file twice")
        pools[pool.topic] = pool
    if not pools:
        raise BadFile(f"{path}: there is no topic in the file")
    return [*pools.values()]


def _detect_reader(path: FileSource) -> Callable[[FileSource], Iterator[TopicDraft]]:
    first = None
    for where, line in read_lines(path):
        first = first or where
        if first == where and not line.lstrip().startswith("<"):
            return _read_column_drafts
        kind = KIND.search(f"{line}\n")
        if kind:
            return _read_sgml_drafts if kind[1].lower() == "top" else read_xml_drafts
    raise BadFile(f"{first or path}: topics are in <top>, in <topic>, or in two columns")


def _read_column_drafts(path: FileSource) -> Iterator[TopicDraft]:
    for where, line in read_lines(path):
        match line.split("\t"):
            case [number, query]:
                yield TopicDraft(where, {"num": number, "query": query})
            case fields:
                raise BadFile(
                    f"{where}: a topic is its number, a tab and the query;"
                    f" this line has {len(fields) - 1} tabs"
                )


def _read_sgml_drafts(path: FileSource) -> Iterator[TopicDraft]:
    draft, field = None, None
    for where, line in read_all_lines(path):
        place = 0
        for tag in TAG.finditer(line):
            if draft:
                draft.add(field, line[place : tag.start()])
            place, name = tag.end(), tag["name"].lower()
            field = None if tag["end"] or name == "top" else name
            if name == "top":
                if draft:
                    yield _without_labels(draft)
                draft = None if tag["end"] else TopicDraft(where)
            elif field and draft:
                draft.open(where, field)
        if draft:
            draft.add(field, line[place:])
    if draft:
        yield _without_labels(draft)


def _without_labels(draft: TopicDraft) -> TopicDraft:
    fields = dict(draft.fields)
    for name, label in LABELS.items():
        fields[name] = label.sub("", fields.get(name, ""), count=1)
    for name, text in fields.items():
        fields[name] = ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return TopicDraft(draft.where, fields)


def _pool(draft: TopicDraft) -> Pool:
    where, fields = draft.where, draft.fields
    topic = _first_field(fields, "num", "number")
    if len(topic.split()) != 1:
        raise BadFile(f"{where}: a topic needs a number without white space, got {topic!r}")
    pool = Pool(
        topic,
        " ".join(_first_field(fields, "title", "query").split()),
        _first_field(fields, "description", "desc", "question"),
        _first_field(fields, "narrative", "narr"),
    )
    if not pool.title and not pool.description:
        raise BadFile(f"{where}: topic {topic} has neither a title nor a description")
    return pool


def _first_field(fields: Mapping[str, str], *names: str) -> str:
    return next(filter(None, (_unwrap_lines(fields.get(name, "")) for name in names)), "")


def _unwrap_lines(text: str) -> str:
    """Unwrap the lines of each paragraph."""
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return "\n\n".join(filter(None, paragraphs))
