"""Answers to draw beliefs from, without a topic around them."""

from collections.abc import Sequence

import numpy as np

from nextpair.selectors.inference.ordinal_classes.posterior import Beliefs


def answer(better: int, worse: int, error: float, rng: np.random.Generator) -> int:
    """Compare two grades as 0, 1 or 2, and err as simulated workers do."""
    right = 1 - int(np.sign(better - worse))
    if rng.random() >= error:
        return right
    if right == 1:
        return 0 if rng.random() < 0.5 else 2
    return 1 if rng.random() < 0.7 else 2 - right


def believe(
    grades: Sequence[int], answers: int, error: float, seed: int, workers: int = 10
) -> Beliefs:
    """Return beliefs in one single class, with answers about pairs drawn at random."""
    rng = np.random.default_rng(seed)
    beliefs = Beliefs()
    for _ in range(answers):
        first, second = rng.choice(len(grades), size=2, replace=False).tolist()
        said = answer(grades[first], grades[second], error, rng)
        worker = beliefs.crowd.number(f"w{rng.integers(workers)}")
        beliefs.answers.add(first, second, said, worker)
    beliefs.extend(len(grades))
    settle(beliefs, 3)
    return beliefs


def settle(beliefs: Beliefs, rounds: int) -> None:
    """Pass messages a few times."""
    for _ in range(rounds):
        beliefs.set_prior()
        beliefs.pass_messages()
