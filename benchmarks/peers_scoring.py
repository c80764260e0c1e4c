"""Scores of other libraries, in an environment of their own: JSON in, JSON out.

Run by `benchmarks/peers.py`; nothing of nextpair is imported here, as it is not installed there.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

LIBRARIES = ("choix", "evalica", "openskill", "trueskill", "crowd-kit")
Row = tuple[int, int, str, str]
"""Two items, which of them was better (`first`, `second` or `tie`), and who said so."""


def with_choix(size: int, rows: Sequence[Row]) -> list[float]:
    """Fit Bradley-Terry with a little regularisation; a tie is a win of both."""
    import choix

    wins = [pair for row in rows for pair in _wins(row)]
    return [float(one) for one in choix.ilsr_pairwise(size, wins, alpha=0.01)]


def with_choix_ep(size: int, rows: Sequence[Row]) -> list[float]:
    """Approximate the posterior by expectation propagation, prior variance 1."""
    import choix

    wins = [pair for row in rows for pair in _wins(row)]
    return [float(one) for one in choix.ep_pairwise(size, wins, alpha=1.0, model="probit")[0]]


def with_evalica(size: int, rows: Sequence[Row]) -> list[float]:
    """Fit Bradley-Terry, ties as evalica counts them."""
    import evalica

    return _evalica(evalica.bradley_terry, size, rows)


def with_evalica_newman(size: int, rows: Sequence[Row]) -> list[float]:
    """Fit Newman's model with ties."""
    import evalica

    return _evalica(evalica.newman, size, rows)


def _evalica(rank: Callable[..., Any], size: int, rows: Sequence[Row]) -> list[float]:
    from evalica import Winner

    meaning = {"first": Winner.X, "second": Winner.Y, "tie": Winner.Draw}
    firsts, seconds = [str(row[0]) for row in rows], [str(row[1]) for row in rows]
    found = rank(firsts, seconds, [meaning[row[2]] for row in rows])
    scores = found.scores
    middle = float(np.median(scores))
    return [float(scores.get(str(item), middle)) for item in range(size)]


def with_openskill(size: int, rows: Sequence[Row]) -> list[float]:
    """Rate by Plackett-Luce, one match after the other."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    rated = [model.rating() for _ in range(size)]
    ranks = {"first": [1, 2], "second": [2, 1], "tie": [1, 1]}
    for first, second, said, _ in rows:
        (one,), (other,) = model.rate([[rated[first]], [rated[second]]], ranks=ranks[said])
        rated[first], rated[second] = one, other
    return [float(one.mu) for one in rated]


def with_trueskill(size: int, rows: Sequence[Row]) -> list[float]:
    """Rate by TrueSkill, one match after the other."""
    import trueskill

    rated = [trueskill.Rating() for _ in range(size)]
    for first, second, said, _ in rows:
        best, worst = (second, first) if said == "second" else (first, second)
        found = trueskill.rate_1vs1(rated[best], rated[worst], drawn=said == "tie")
        rated[best], rated[worst] = found
    return [float(one.mu) for one in rated]


def with_crowd_kit(size: int, rows: Sequence[Row]) -> list[float]:
    """Fit NoisyBradleyTerry; it knows no ties, which are left out."""
    import pandas
    from crowdkit.aggregation import NoisyBradleyTerry

    told = [row for row in rows if row[2] != "tie"]
    frame = pandas.DataFrame(
        [(row[3], row[0], row[1], row[0] if row[2] == "first" else row[1]) for row in told],
        columns=["worker", "left", "right", "label"],
    )
    scores = NoisyBradleyTerry(n_iter=30).fit_predict(frame)
    middle = float(np.median(scores))
    return [float(scores.get(item, middle)) for item in range(size)]


def _wins(row: Row) -> list[tuple[int, int]]:
    first, second, said, _ = row
    either = {"first": [(first, second)], "second": [(second, first)]}
    return either.get(said, [(first, second), (second, first)])


PEERS: dict[str, Callable[[int, Sequence[Row]], list[float]]] = {
    "choix ilsr_pairwise": with_choix,
    "choix ep_pairwise": with_choix_ep,
    "evalica bradley_terry": with_evalica,
    "evalica newman": with_evalica_newman,
    "openskill PlackettLuce": with_openskill,
    "trueskill": with_trueskill,
    "crowd-kit NoisyBradleyTerry": with_crowd_kit,
}


def main() -> None:
    """Read logs, and write versions, and every peer's scores and seconds for every log."""
    warnings.simplefilter("ignore")
    logs = json.load(sys.stdin)
    found: dict[str, list[dict[str, object]]] = {name: [] for name in PEERS}
    for name, score in PEERS.items():
        for log in logs:
            started = time.perf_counter()
            scores = score(log["size"], [tuple(row) for row in log["rows"]])
            seconds = time.perf_counter() - started
            found[name].append({"scores": scores, "seconds": seconds})
    versions = {library: version(library) for library in LIBRARIES}
    json.dump({"versions": versions, "found": found}, sys.stdout)


if __name__ == "__main__":
    main()
