"""Beside what users would take from PyPI instead: the same answers, and the order made of them.

The libraries are installed, by this script, into an environment of their own.
"""

import argparse
import json
import subprocess
import venv
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.gaining.judges import CHECKPOINTS, Judges, Scale, play_at_random, tau_b, taus
from benchmarks.peers_scoring import LIBRARIES
from benchmarks.section import Section, main
from nextpair.selectors.aggregation import bradley_terry
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import fold

ENVIRONMENT = Path(__file__).resolve().parents[1] / ".venv" / "peers"
SCORING = Path(__file__).with_name("peers_scoring.py")
FIRST_SEED, SEEDS = 5_000, 10
SCALES = (
    Scale("Thurstone, N(0, 2²)", 2),
    Scale("draw margin 0.8", 2, margin=0.8),
    Scale("30 workers, 40 % at random", 2, workers=30, guessing=12),
)
SAID = {Outcome.BETTER: "first", Outcome.WORSE: "second", Outcome.TIE: "tie"}
OURS = ("nextpair worker-bradley-terry", "nextpair information-gain, the same pairs")


def measure(given: argparse.Namespace) -> Section:
    """Score the same random pairs with everything, then choose pairs ourselves."""
    section = Section(
        "Beside other libraries",
        "python -m benchmarks.peers",
        f"100 items, mean tau-b of {SEEDS} seeds at {' / '.join(map(str, CHECKPOINTS))} judgments"
        " per item; scores N(0, 2²) under Thurstone. All but the last row of each scale score the"
        " same random pairs; in the last one information gain also chooses. Milliseconds are of one"
        " fit to the longest log. Their defaults, but for what `benchmarks/peers_scoring.py` says.",
        ("answers", "what", *map(str, CHECKPOINTS), "mean", "ms"),
    )
    install()
    for scale in SCALES:
        _compare(section, scale)
    return section


def install() -> None:
    """Make the environment, unless it is there."""
    if not (ENVIRONMENT / "ready").exists():
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        pip = [str(ENVIRONMENT / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", *LIBRARIES], check=True)
        (ENVIRONMENT / "ready").touch()


def _compare(section: Section, scale: Scale) -> None:
    crowds = [
        Judges(scale, np.random.default_rng([seed, 8]))
        for seed in range(FIRST_SEED, FIRST_SEED + SEEDS)
    ]
    whole = [play_at_random(judges) for judges in crowds]
    logs = [log[: at * scale.size] for log in whole for at in CHECKPOINTS]
    true = [judges.scores for judges in crowds for _ in CHECKPOINTS]
    told = _ask_peers([_as_json(scale, log) for log in logs])
    found: dict[str, list[dict[str, Any]]] = {**told["found"], **_ours(scale, logs)}
    for name, scored in found.items():
        pairs = zip(scored, true, strict=True)
        found_taus = [_tau(np.array(one["scores"]), scores) for one, scores in pairs]
        longest = [one["seconds"] for one in scored[len(CHECKPOINTS) - 1 :: len(CHECKPOINTS)]]
        _add(section, scale, name, found_taus, f"{1000 * float(np.median(longest)):.1f}")
    seeds = range(FIRST_SEED, FIRST_SEED + SEEDS)
    chosen = [tau for seed in seeds for tau in taus(scale, seed, {})]
    _add(section, scale, "nextpair information-gain, its own pairs", chosen, "-")
    versions = ", ".join(f"{name} {number}" for name, number in told["versions"].items())
    section.after = f"Versions: {versions}."


def _add(
    section: Section, scale: Scale, name: str, found: Sequence[float], milliseconds: str
) -> None:
    means = np.array(found).reshape(SEEDS, -1).mean(axis=0)
    shown = (f"{mean:.3f}" for mean in (*means, means.mean()))
    section.rows.append((scale.name, name, *shown, milliseconds))
    print(section.rows[-1], flush=True)


def _tau(found: NDArray[np.float64], true: NDArray[np.float64]) -> float:
    """Return tau-b; one score for all, or none, tells no order."""
    told = bool(np.isfinite(found).all()) and len(np.unique(found)) > 1
    return tau_b(found, true) if told else 0.0


def _as_json(scale: Scale, log: Sequence[Judgment]) -> dict[str, Any]:
    rows = [(*_places(one), SAID[one.outcome], one.worker) for one in log]
    return {"size": scale.size, "rows": rows}


def _places(one: Judgment) -> tuple[int, int]:
    return int(one.first[1:]), int(one.second[1:])


def _ask_peers(logs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    told = subprocess.run(
        [ENVIRONMENT / "bin" / "python", SCORING],
        input=json.dumps(logs),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def _ours(scale: Scale, logs: Sequence[Sequence[Judgment]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in OURS}
    for log in logs:
        for name, score in zip(OURS, (_by_bradley_terry, _by_information_gain), strict=True):
            started = perf_counter()
            scores = score(scale, log)
            found[name].append({"scores": scores, "seconds": perf_counter() - started})
    return found


def _by_bradley_terry(scale: Scale, log: Sequence[Judgment]) -> NDArray[np.float64]:
    pairs = np.array([_places(one) for one in log])
    said = [one.outcome.code for one in log]
    workers = [int(one.worker[1:]) for one in log]
    answers = bradley_terry.collect_pair_responses(
        scale.size, pairs[:, 0], pairs[:, 1], said, workers
    )
    return bradley_terry.fit_bradley_terry(answers).scores


def _by_information_gain(scale: Scale, log: Sequence[Judgment]) -> NDArray[np.float64]:
    documents = [Document(f"d{place}") for place in range(scale.size)]
    return fold(documents, log, Settings("information-gain")).scores()


if __name__ == "__main__":
    main(measure)
