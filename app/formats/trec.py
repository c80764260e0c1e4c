"""TREC's formats: qrels (`topic 0 doc grade`) and runs (`topic Q0 doc rank score tag`)."""

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from nextpair.app.formats.files import UNSTORABLE, BadFile, Source, lines, number
from nextpair.selectors.errors import BadInput

Grades = dict[str, dict[str, int]]
"""Topic, then document, to its grade."""
RealGrades = dict[str, dict[str, float]]
"""Topic, then document, to its grade, which may be any number."""
Ranks = dict[str, dict[str, float]]
"""Topic, then document, to its rank."""
Listed = dict[str, tuple[float, float]]
"""Document to its rank and score as a run lists them."""


class Unwritable(BadInput):
    """TREC's formats cannot hold this."""

    code = "unwritable"


def read_qrels(path: Source) -> Grades:
    """Read grades; those below 0 mark junk and count as 0."""
    return {
        topic: {document: read_grade(where, grade) for document, (where, grade) in of_topic.items()}
        for topic, of_topic in _parse_qrels(lines(path)).items()
    }


def _parse_qrels(
    numbered: Iterable[tuple[str, str]],
) -> dict[str, dict[str, tuple[str, str]]]:
    """Parse lines, each with where it stands: topic, then document, to its grade and place."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for where, line in numbered:
        match line.split():
            case [topic, _, document, grade]:
                of_topic = found.setdefault(topic, {})
                if document in of_topic:
                    raise BadFile(f"{where}: topic {topic} has document {document} twice")
                of_topic[document] = (where, grade)
            case fields:
                raise BadFile(f"{where}: qrels have four fields, this line has {len(fields)}")
    return found


def read_real_qrels(path: Source) -> RealGrades:
    """Read qrels whose grades may be any numbers, such as an export of `qrels-real`.

    Where all of them are whole numbers, those below 0 mark junk and count as 0, as in `read_qrels`.
    """
    return parse_real_qrels(lines(path))


def parse_real_qrels(numbered: Iterable[tuple[str, str]]) -> RealGrades:
    """Parse the lines of such a file, each with where it stands."""
    grades = {
        topic: {document: number(where, "a grade", one) for document, (where, one) in of.items()}
        for topic, of in _parse_qrels(numbered).items()
    }
    if are_whole(grades):
        return {
            topic: {document: max(0.0, grade) for document, grade in of_topic.items()}
            for topic, of_topic in grades.items()
        }
    return grades


def are_whole(grades: Mapping[str, Mapping[str, float]]) -> bool:
    """Say whether all grades are whole numbers."""
    return all(grade == int(grade) for of_topic in grades.values() for grade in of_topic.values())


def read_grade(where: str, text: str) -> int:
    """Read one grade; a negative one counts as 0."""
    value = number(where, "a grade", text)
    if value != int(value):
        raise BadFile(f"{where}: a grade must be a whole number, got {text!r}")
    return max(0, int(value))


def read_run(path: Source) -> tuple[str, Ranks]:
    """Read a run; return its tag and each document's rank, the best being 1.

    The rank column counts if it is a ranking in every topic: whole numbers from 0 or 1, none twice,
    and no score rises as the rank grows. It may have gaps, as a run cut down to some documents has.

    Otherwise (all 0, all 1, ties, ranks against scores) the file's ranks are ignored, and documents
    rank as trec_eval always ranks them: by score in single precision, the highest first, and where
    scores are equal by id, the last first. A ranking thus differs from trec_eval's in gaps, and
    where scores are equal: there the system's own order says more than the ids.
    """
    tags, listed = set[str](), dict[str, Listed]()
    for where, line in lines(path):
        match line.split():
            case [topic, _, document, rank, score, tag]:
                tags.add(tag)
                if len(tags) > 1:
                    raise BadFile(f"{where}: a run has one tag, this one has {sorted(tags)}")
                of_topic = listed.setdefault(topic, {})
                if document in of_topic:
                    raise BadFile(f"{where}: topic {topic} has document {document} twice")
                of_topic[document] = (
                    number(where, "a rank", rank),
                    _single(number(where, "a score", score)),
                )
            case fields:
                raise BadFile(f"{where}: a run has six fields, this line has {len(fields)}")
    if not tags:
        raise BadFile(f"{path}: the file is empty")
    return tags.pop(), _ranks(listed)


def qrels_lines(topic: str, grades: Mapping[str, int]) -> list[str]:
    r"""Write a topic's grades as lines of qrels, in the order of the ids.

    >>> qrels_lines("401", {"b": 0, "a": 2})
    ['401 0 a 2\n', '401 0 b 0\n']
    """
    _check_words(topic, *grades)
    return [f"{topic} 0 {document} {grades[document]:d}\n" for document in sorted(grades)]


def real_qrels_lines(topic: str, scores: Mapping[str, float]) -> list[str]:
    r"""Write a topic's scores as lines of qrels, exactly, in the order of the ids.

    >>> real_qrels_lines("401", {"b": 0.1, "a": 2.0})
    ['401 0 a 2.0\n', '401 0 b 0.1\n']
    """
    _check_words(topic, *scores)
    return [f"{topic} 0 {document} {scores[document]!r}\n" for document in sorted(scores)]


def run_lines(topic: str, scores: Mapping[str, float], tag: str) -> list[str]:
    r"""Write a topic's scores as lines of a run, the highest first, equal ones by id backwards.

    That is trec_eval's order. It reads scores in single precision, so they are compared and written
    in it: whatever reads the file sees the same ties.

    >>> run_lines("401", {"a": 1.5, "b": 2, "c": 1.5}, "elo")
    ['401 Q0 b 1 2.0 elo\n', '401 Q0 c 2 1.5 elo\n', '401 Q0 a 3 1.5 elo\n']
    """
    _check_words(topic, tag, *scores)
    singles = {document: _single(score) for document, score in scores.items()}
    for document, single in singles.items():
        if not math.isfinite(single):
            raise Unwritable(f"document {document} has the score {scores[document]}")
    return [
        f"{topic} Q0 {document} {rank} {np.float32(singles[document])!s} {tag}\n"
        for rank, document in enumerate(_by_score(singles), start=1)
    ]


def _ranks(listed: Mapping[str, Listed]) -> Ranks:
    if all(_is_ranking(of_topic.values()) for of_topic in listed.values()):
        from_zero = any(rank == 0 for of in listed.values() for rank, _ in of.values())
        return {
            topic: {document: rank + from_zero for document, (rank, _) in of_topic.items()}
            for topic, of_topic in listed.items()
        }
    return {topic: _ranks_by_score(of_topic) for topic, of_topic in listed.items()}


def _is_ranking(listed: Iterable[tuple[float, float]]) -> bool:
    ordered = sorted(listed)
    return all(rank >= 0 and rank.is_integer() for rank, _ in ordered) and all(
        rank < next_rank and score >= next_score
        for (rank, score), (next_rank, next_score) in pairwise(ordered)
    )


def _ranks_by_score(listed: Listed) -> dict[str, float]:
    ordered = _by_score({document: score for document, (_, score) in listed.items()})
    place = {document: float(rank) for rank, document in enumerate(ordered, start=1)}
    return {document: place[document] for document in listed}


def _by_score(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda document: (scores[document], document), reverse=True)


def _single(score: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(score))


def is_word(text: str) -> bool:
    """Say whether TREC's formats can hold an id."""
    # str.split() and not C's isspace: it is what read_qrels and read_run split by.
    return text.split() == [text] and not UNSTORABLE.search(text)


def _check_words(*words: str) -> None:
    for word in words:
        if not is_word(word):
            raise Unwritable(
                f"TREC's formats hold only ids without white space, not {word!r}:"
                " export pairs, csv or jsonl instead"
            )
