"""Random comparisons, and posteriors fitted to them, without a topic around them."""

from collections.abc import Sequence

import numpy as np

from nextpair.selectors.inference.ordinal_classes.posterior import ClassPosterior


def draw_outcome(better: int, worse: int, error: float, rng: np.random.Generator) -> int:
    """Return the outcome of comparing two grades, with the errors of simulated workers."""
    right = 1 - int(np.sign(better - worse))
    if rng.random() >= error:
        return right
    if right == 1:
        return 0 if rng.random() < 0.5 else 2
    return 1 if rng.random() < 0.7 else 2 - right


def fitted_posterior(
    grades: Sequence[int], answers: int, error: float, seed: int, workers: int = 10
) -> ClassPosterior:
    """Return a posterior with one single class, from comparisons of random pairs."""
    rng = np.random.default_rng(seed)
    posterior = ClassPosterior()
    for _ in range(answers):
        first, second = rng.choice(len(grades), size=2, replace=False).tolist()
        outcome = draw_outcome(grades[first], grades[second], error, rng)
        worker = posterior.crowd.number(f"w{rng.integers(workers)}")
        posterior.comparisons.append(first, second, outcome, worker)
    posterior.extend(len(grades))
    sweep(posterior, 3)
    return posterior


def sweep(posterior: ClassPosterior, rounds: int) -> None:
    """Run some sweeps of belief propagation."""
    for _ in range(rounds):
        posterior.update_prior()
        posterior.pass_messages()
