"""The response mixture: workers who answer by the model, at random, or reversed.

After Crowd-BT (Chen et al., WSDM 2013), with ties, and with a few kinds of worker in place of a
number for each: a new worker is whatever the crowd is, so a few answers neither condemn nor vouch.
The shares of the kinds are those of one of several crowds, which model averaging decides between
(`model_averaging.py`). What an answer says about its worker's kind rests on the cavity of its
scores, and it is weighted by the cavity of the kind.
"""

from collections.abc import Sequence

import numpy as np

from nextpair.selectors.inference.gaussian_scores.thurstone import OutcomeLikelihood
from nextpair.selectors.inference.numerics import Array, Indices, logsumexp, softmax
from nextpair.selectors.inference.workers.confusion_matrices import accuracy_and_information
from nextpair.selectors.state.bayesian_selector import Reliability

KINDS = np.array(
    [[0.98, 0.0, 0.02], [0.75, 0.0, 0.25], [0.4, 0.0, 0.6], [0.0, 0.0, 1.0], [0.0, 0.95, 0.05]]
)
"""By kind of worker: the probability of an answer by the model, reversed, and at random."""
RANDOM_KIND = 3
"""The kind that always answers at random."""
CROWDS = (
    (0.75, (0.93, 0.04, 0.01, 0.015, 0.005)),
    (0.1, (0.70, 0.05, 0.03, 0.20, 0.02)),
    (0.075, (0.50, 0.05, 0.03, 0.40, 0.02)),
    (0.075, (0.72, 0.04, 0.02, 0.02, 0.20)),
)
"""The crowds that are tried: the prior probability of each, and its shares of all kinds.

Reversing workers are never the majority: the mirror image of the order would explain their answers
equally well.
"""
GOLD_ACCURACY = 0.9
"""How often a gold question is answered correctly by one who answers by the model."""
DAMPING = 0.5
"""The weight of the old message when a message to a worker is sent again."""


class WorkerRegistry:
    """The workers of a topic by number, and their responses to gold questions."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._gold: dict[int, Array] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, worker: str) -> int:
        """Return the number of a worker; a new worker gets the next number."""
        return self._numbers.setdefault(worker, len(self._numbers))

    def find(self, worker: str) -> int | None:
        """Return the number of a worker who has answered."""
        return self._numbers.get(worker)

    @property
    def names(self) -> list[str]:
        """All workers, by number."""
        return list(self._numbers)

    def observe_gold(self, worker: str, truth: int, outcome: int) -> None:
        """Add the response to a gold question."""
        by_model, reversed_ = (
            GOLD_ACCURACY if outcome == right else (1 - GOLD_ACCURACY) / 2
            for right in (truth, 2 - truth)
        )
        message = np.log(KINDS @ np.array([by_model, reversed_, 1 / 3]))
        number = self.number(worker)
        self._gold[number] = self._gold.get(number, 0) + message

    def gold_log_likelihood(self) -> Array:
        """Return the log likelihood of gold responses, by kind and worker."""
        likelihood = np.zeros((len(KINDS), len(self)))
        for number, own in self._gold.items():
            likelihood[:, number] = own
        return likelihood


class ResponseMixture:
    """The posterior over the kinds of workers while scores are fitted, given one crowd.

    Parameters
    ----------
    workers
        The worker of each answer, by number.
    gold
        The log likelihood of gold responses, by kind and worker.
    shares
        The share of each kind in the crowd.
    """

    def __init__(self, workers: Indices, gold: Array, shares: Array) -> None:
        self._workers = workers
        self._gold = gold
        self._messages = np.zeros((len(KINDS), len(workers)))
        self._answers = np.bincount(workers, minlength=gold.shape[1])
        self._log_shares: Array = np.log(shares)
        self._log_posterior: Array = self._log_shares[:, None] + gold

    def cavity_weights(self) -> Array:
        """Return the probability of each way of answering, without the answer itself.

        The ways are rows: by the model, reversed, at random; answers are columns.
        """
        weights: Array = KINDS.T @ softmax(self._log_posterior[:, self._workers] - self._messages)
        return weights

    def update(
        self,
        likelihood: OutcomeLikelihood,
        reversed_: OutcomeLikelihood,
        random_probability: float,
    ) -> None:
        """Update the posterior from the likelihood of each answer, and of its reverse."""
        by_model, by_reversal, at_random = KINDS.T[:, :, None]
        messages = np.log(
            by_model * likelihood.probability
            + by_reversal * reversed_.probability
            + at_random * random_probability
        )
        self._messages = DAMPING * self._messages + (1 - DAMPING) * messages
        sums = [np.bincount(self._workers, row, self._gold.shape[1]) for row in self._messages]
        self._log_posterior = np.stack(sums) + self._gold + self._log_shares[:, None]

    def log_evidence(self) -> float:
        """Return the workers' term of the Bethe log evidence.

        Workers with gold responses only count: they are informative about the crowd as well.
        """
        log_cavity = self._log_posterior[:, self._workers] - self._messages
        of_answers = logsumexp(self._log_posterior[:, self._workers]) - logsumexp(log_cavity)
        return float(logsumexp(self._log_posterior).sum() - of_answers.sum())

    def posterior(self) -> "KindPosterior":
        """Return the current posterior over kinds."""
        shares = softmax(self._log_shares[:, None])
        return KindPosterior(softmax(self._log_posterior), shares, self._answers)


class KindPosterior:
    """The posterior over the kinds of workers, to be read.

    Parameters
    ----------
    kinds
        The probability of each kind, a column per worker.
    shares
        The probability of each kind for an unseen worker, as a column.
    answers
        How many answers each worker gave.
    """

    def __init__(self, kinds: Array, shares: Array, answers: Indices) -> None:
        self._kinds, self._shares, self._answers = kinds, shares, answers

    @classmethod
    def averaged(cls, weights: Array, posteriors: "Sequence[KindPosterior]") -> "KindPosterior":
        """Return the weighted average of several posteriors over the same workers."""
        kinds = np.tensordot(weights, np.stack([each._kinds for each in posteriors]), axes=1)
        shares = np.tensordot(weights, np.stack([each._shares for each in posteriors]), axes=1)
        return cls(kinds, shares, posteriors[0]._answers)

    def kinds(self, number: int | None) -> Array:
        """Return the probability of each kind; an unseen worker gets the shares of the crowd."""
        is_seen = number is not None and number < self._kinds.shape[1]
        return self._kinds[:, number] if is_seen else self._shares[:, 0]

    def weights(self, number: int | None) -> Array:
        """Return the probability of an answer by the model, reversed, and at random."""
        weights: Array = KINDS.T @ self.kinds(number)
        return weights

    def random_kind_probability(self, number: int | None) -> float:
        """Return the probability that a worker always answers at random."""
        return float(self.kinds(number)[RANDOM_KIND])

    def reliabilities(self, names: list[str]) -> list[Reliability]:
        """Describe every worker."""
        reliabilities = []
        for number, name in enumerate(names):
            by_model, by_reversal, at_random = self.weights(number)
            # A reversed tie is a tie: ties do not show who reverses.
            confusion = by_model * np.eye(3) + by_reversal * np.eye(3)[::-1] + at_random / 3
            answers = int(self._answers[number]) if number < len(self._answers) else 0
            quality = accuracy_and_information(confusion + 1e-9)
            reliabilities.append(Reliability(name, answers, *quality))
        return reliabilities
