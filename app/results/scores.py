"""Scores: a topic's answer set, aggregated by one of the ways that its study's design has."""

from nextpair.app.designs.base import Design, Shape
from nextpair.app.errors import UnknownAggregation
from nextpair.app.results import pair_scores, single_scores
from nextpair.app.results.answer_set import AnswerSet, Numbers

__all__ = ["AnswerSet", "aggregations", "score"]


def score(name: str, answer_set: AnswerSet) -> Numbers:
    """Return a score for each document, NaN for documents without answers."""
    known = aggregations(answer_set.design)
    if name not in known:
        raise UnknownAggregation(
            f"there is no rating {name!r} of this design's answers; there are {', '.join(known)}"
        )
    if answer_set.design.shape is Shape.SINGLE:
        return single_scores.AGGREGATIONS[name](answer_set)
    return pair_scores.AGGREGATIONS[name](answer_set)


def aggregations(design: Design) -> tuple[str, ...]:
    """List the aggregations for the answers of a design, its default first."""
    if design.shape is Shape.SINGLE:
        return design.aggregations
    own = tuple(name for name in design.aggregations if name in pair_scores.AGGREGATIONS)
    return (*own, "worker-bradley-terry", "elo-em")
