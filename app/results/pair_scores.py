"""Scores of documents that were compared, from all answers and whose they are."""

from collections.abc import Callable

import numpy as np

from nextpair.app.results.answer_set import Numbers, Said, probabilities
from nextpair.selectors import ratings
from nextpair.selectors.aggregation import bradley_terry, log_ratio, means
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.state.judgments import Outcome
from nextpair.storage.rows import JudgmentRow

_LABELS = tuple(Outcome)
"""The labels of Dawid and Skene's EM. Not `Outcome.code`: sums over another order of the labels
differ in their last digits."""
_MIRROR = tuple(_LABELS.index(outcome.reversed) for outcome in _LABELS)


def _worker_bradley_terry(said: Said) -> Numbers:
    rows = [row for row in said.rows if row.outcome is not None]
    outcomes = [Outcome(str(row.outcome)).code for row in rows]
    firsts, seconds = [row.first for row in rows], [row.second for row in rows]
    answers = bradley_terry.collect_pair_responses(
        said.size, firsts, seconds, outcomes, said.workers(rows)
    )
    return bradley_terry.fit_bradley_terry(answers).scores


def _elo_em(said: Said) -> Numbers:
    """Let Elo play with the probabilities EM gives to the outcomes, not with shares of votes."""
    rows = said.final
    pairs = list(dict.fromkeys((row.first, row.second) for row in rows))
    place = {pair: number for number, pair in enumerate(pairs)}
    items = [place[row.first, row.second] for row in rows]
    told = [*rows, *(row for row, _ in said.traps)]
    labels = [_LABELS.index(Outcome(str(row.outcome))) for row in told]
    known = [_LABELS.index(truth) for _, truth in said.traps if isinstance(truth, Outcome)]
    chances = probabilities(said, items, labels, known, len(pairs), len(_LABELS), _MIRROR)
    shares = (chances[:, 0] + chances[:, 2] / 2).tolist()
    matches = [Match(*pair, share) for pair, share in zip(pairs, shares, strict=True)]
    return ratings.rate("elo", said.size, matches)


def _first_score(row: JudgmentRow) -> tuple[float, float]:
    """Return the numbers given to the first and the second document, whatever their sides."""
    left, right = float(row.answer["left_score"]), float(row.answer["right_score"])
    return (left, right) if _first_is_left(row) else (right, left)


def _first_is_left(row: JudgmentRow) -> bool:
    # The preference was told from the left, the outcome from the first document.
    return bool((row.answer["preference"] == "left") == (row.outcome == Outcome.BETTER))


def _preference_frequency(said: Said) -> Numbers:
    firsts, seconds = [row.first for row in said.rows], [row.second for row in said.rows]
    better = [row.outcome == Outcome.BETTER for row in said.rows]
    return means.preference_frequencies(firsts, seconds, better, said.size)


def _relevance_frequency(said: Said) -> Numbers:
    documents, relevant = [], []
    for row in said.rows:
        first_side = "left" if _first_is_left(row) else "right"
        for document, side in zip((row.first, row.second), _sides(first_side), strict=True):
            documents.append(document)
            relevant.append(row.answer["relevant"] in ("both", side))
    return means.frequencies(documents, relevant, said.size)


def _sides(first: str) -> tuple[str, str]:
    return ("left", "right") if first == "left" else ("right", "left")


def _log_ratio(said: Said) -> Numbers:
    numbers = [_first_score(row) for row in said.rows]
    return log_ratio.log_ratio(
        [row.first for row in said.rows],
        [row.second for row in said.rows],
        [one for one, _ in numbers],
        [other for _, other in numbers],
        said.size,
    ).scores


def _combined(said: Said) -> Numbers:
    parts = [_preference_frequency(said), _relevance_frequency(said), _log_ratio(said)]
    asked = ~np.isnan(parts[0])
    found = means.combine([np.where(asked, part, 0.0) for part in parts])
    return np.where(asked, found, np.nan)


AGGREGATIONS: dict[str, Callable[[Said], Numbers]] = {
    "combined": _combined,
    "preference-frequency": _preference_frequency,
    "relevance-frequency": _relevance_frequency,
    "log-ratio": _log_ratio,
    "worker-bradley-terry": _worker_bradley_terry,
    "elo-em": _elo_em,
}
