"""Scores from all answers together: what a topic's answers come to under its study's design."""

from nextpair.app.designs.base import Design, Shape
from nextpair.app.errors import UnknownAggregation
from nextpair.app.results import pair_scores, single_scores
from nextpair.app.results.answer_set import Numbers, Said

__all__ = ["Said", "aggregations", "score"]


def score(name: str, said: Said) -> Numbers:
    """Return a score for each document, NaN where nothing was said of it."""
    known = aggregations(said.design)
    if name not in known:
        raise UnknownAggregation(
            f"there is no rating {name!r} of this design's answers; there are {', '.join(known)}"
        )
    if said.design.shape is Shape.SINGLE:
        return single_scores.AGGREGATIONS[name](said)
    return pair_scores.AGGREGATIONS[name](said)


def aggregations(design: Design) -> tuple[str, ...]:
    """List how the answers of a design become scores, its own way first."""
    if design.shape is Shape.SINGLE:
        return design.aggregations
    own = tuple(name for name in design.aggregations if name in pair_scores.AGGREGATIONS)
    return (*own, "worker-bradley-terry", "elo-em")
