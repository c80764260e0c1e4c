"""Scores of documents that were compared in pairs, aggregated from all answers of all workers."""

from collections.abc import Callable

import numpy as np

from nextpair.app.results.answer_set import AnswerSet, Numbers, probabilities
from nextpair.selectors import ratings
from nextpair.selectors.aggregation import bradley_terry, log_ratio, means
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.state.judgments import Outcome
from nextpair.storage.rows import JudgmentRow

_LABELS = tuple(Outcome)
"""The labels of Dawid and Skene's EM. Not `Outcome.code`: sums over another order of the labels
differ in their last digits."""
_MIRROR = tuple(_LABELS.index(outcome.reversed) for outcome in _LABELS)
"""The label of each outcome with the two documents exchanged."""


def _worker_bradley_terry(answer_set: AnswerSet) -> Numbers:
    rows = [row for row in answer_set.rows if row.outcome is not None]
    outcomes = [Outcome(str(row.outcome)).code for row in rows]
    firsts, seconds = [row.first for row in rows], [row.second for row in rows]
    answers = bradley_terry.collect_pair_responses(
        answer_set.size, firsts, seconds, outcomes, answer_set.workers(rows)
    )
    return bradley_terry.fit_bradley_terry(answers).scores


def _elo_em(answer_set: AnswerSet) -> Numbers:
    """Run Elo on the outcome probabilities that EM (Dawid-Skene) estimates, not on vote shares."""
    rows = answer_set.final
    pairs = list(dict.fromkeys((row.first, row.second) for row in rows))
    place = {pair: number for number, pair in enumerate(pairs)}
    items = [place[row.first, row.second] for row in rows]
    judged = [*rows, *(row for row, _ in answer_set.traps)]
    labels = [_LABELS.index(Outcome(str(row.outcome))) for row in judged]
    known = [_LABELS.index(truth) for _, truth in answer_set.traps if isinstance(truth, Outcome)]
    posterior = probabilities(answer_set, items, labels, known, len(pairs), len(_LABELS), _MIRROR)
    shares = (posterior[:, 0] + posterior[:, 2] / 2).tolist()
    matches = [Match(*pair, share) for pair, share in zip(pairs, shares, strict=True)]
    return ratings.rate("elo", answer_set.size, matches)


def _first_score(row: JudgmentRow) -> tuple[float, float]:
    """Return the scores that the worker gave to the first and the second document."""
    left, right = float(row.answer["left_score"]), float(row.answer["right_score"])
    return (left, right) if _first_is_left(row) else (right, left)


def _first_is_left(row: JudgmentRow) -> bool:
    # The preference is between left and right, the outcome between first and second document.
    return bool((row.answer["preference"] == "left") == (row.outcome == Outcome.BETTER))


def _preference_frequency(answer_set: AnswerSet) -> Numbers:
    firsts, seconds = (
        [row.first for row in answer_set.rows],
        [row.second for row in answer_set.rows],
    )
    better = [row.outcome == Outcome.BETTER for row in answer_set.rows]
    return means.preference_frequencies(firsts, seconds, better, answer_set.size)


def _relevance_frequency(answer_set: AnswerSet) -> Numbers:
    documents, relevant = [], []
    for row in answer_set.rows:
        first_side = "left" if _first_is_left(row) else "right"
        for document, side in zip((row.first, row.second), _sides(first_side), strict=True):
            documents.append(document)
            relevant.append(row.answer["relevant"] in ("both", side))
    return means.frequencies(documents, relevant, answer_set.size)


def _sides(first: str) -> tuple[str, str]:
    return ("left", "right") if first == "left" else ("right", "left")


def _log_ratio(answer_set: AnswerSet) -> Numbers:
    numbers = [_first_score(row) for row in answer_set.rows]
    return log_ratio.log_ratio(
        [row.first for row in answer_set.rows],
        [row.second for row in answer_set.rows],
        [first for first, _ in numbers],
        [second for _, second in numbers],
        answer_set.size,
    ).scores


def _combined(answer_set: AnswerSet) -> Numbers:
    parts = [
        _preference_frequency(answer_set),
        _relevance_frequency(answer_set),
        _log_ratio(answer_set),
    ]
    asked = ~np.isnan(parts[0])
    combined = means.combine([np.where(asked, part, 0.0) for part in parts])
    return np.where(asked, combined, np.nan)


AGGREGATIONS: dict[str, Callable[[AnswerSet], Numbers]] = {
    "combined": _combined,
    "preference-frequency": _preference_frequency,
    "relevance-frequency": _relevance_frequency,
    "log-ratio": _log_ratio,
    "worker-bradley-terry": _worker_bradley_terry,
    "elo-em": _elo_em,
}
