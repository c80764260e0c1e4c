"""The crowd model: a shared confusion matrix, and workers who deviate from it.

Most workers answer as the crowd does, some reverse their answers, and some have confusion matrices
of their own (`worker_types.py`). The shared matrix is estimated by EM (Dawid and Skene) from the
relations that belief propagation finds, from gold responses, and from a prior.
"""

import copy
from typing import NamedTuple

import numpy as np

from nextpair.selectors.inference.numerics import (
    Array,
    Array32,
    Indices,
    Mask,
    softmax,
)
from nextpair.selectors.inference.workers.confusion_matrices import (
    accuracy_and_information,
    confusion_matrices,
    expected_parameters,
    weighted_counts,
)
from nextpair.selectors.inference.workers.shared_confusion import estimate_shared_parameters
from nextpair.selectors.inference.workers.worker_types import (
    ORDINARY,
    REVERSING,
    WorkerTypePosterior,
)
from nextpair.selectors.state.bayesian_selector import Reliability

USUAL_ERROR = 0.15
"""The prior mean of the share of wrong answers of a worker."""
SUSPECTED_ERROR = 0.1
"""The share of wrong answers expected of the others, where many are suspected to reverse."""


class ResponseLikelihood(NamedTuple):
    """The likelihood of answers under each worker type.

    Parameters
    ----------
    types
        The cavity type posterior of the worker of each answer.
    by_type
        P(outcome | relation) of each answer, by type and relation.
    """

    types: Array32
    by_type: Array32

    @property
    def marginal(self) -> Array32:
        """P(outcome | relation) of each answer, one per column, relations as rows."""
        mixture: Array32 = self.types[0] * self.by_type[0]
        mixture += self.types[1] * self.by_type[1]
        mixture += self.types[2] * self.by_type[2]
        return mixture


class CrowdModel:
    """The workers of a topic: their types, and the confusion matrix that most of them share.

    Parameters
    ----------
    error
        The expected share of wrong answers.
    """

    def __init__(self, error: float = USUAL_ERROR) -> None:
        self.expected_error = error
        self._numbers: dict[str, int] = {}
        self._parameters = expected_parameters(error)
        self._types = WorkerTypePosterior()
        self.log_evidence = 0.0
        """The workers' term of the Bethe log evidence: log prior of the parameters and log evidence
        of the types, less the answers' log evidence given their cavities."""

    def copy(self) -> "CrowdModel":
        """Return a model that can be updated independently."""
        copied = copy.copy(self)
        copied._numbers = self._numbers.copy()
        copied._types = self._types.copy()
        return copied

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._numbers)

    def number(self, worker: str) -> int:
        """Return the number of a worker; a new worker gets the next number."""
        return self._numbers.setdefault(worker, len(self._numbers))

    def observe_gold(self, worker: str, truth: int, outcome: int) -> None:
        """Add the response to a gold question; the next update uses it."""
        self._types.gold.add(self.number(worker), truth, outcome)

    # -- reading --------------------------------------------------------------------------------

    @property
    def ordinary(self) -> Array:
        """The confusion matrix of an ordinary worker, relations as rows."""
        ordinary: Array = confusion_matrices(self._parameters[None])[0]
        return ordinary

    @property
    def tie_accuracy(self) -> float:
        """The probability that an ordinary worker calls two documents of one class tied."""
        return float(self._parameters[0])

    @property
    def reversal_rate(self) -> float:
        """The probability that an ordinary worker reverses a difference."""
        return float(self._parameters[4])

    @property
    def reversing_workers(self) -> Mask:
        """The workers, by number, who probably reverse their answers."""
        probable: Mask = softmax(self._types.predictive(self.size)[0])[REVERSING] > 0.5
        return probable

    @property
    def is_mirrored(self) -> bool:
        """Whether the mirror image of the order is the likelier one, given the workers."""
        return self._types.mirror_log_odds > 0

    @property
    def is_orientation_certain(self) -> bool:
        """Whether the order is not its own mirror image, as surely as workers can tell."""
        return self._types.is_orientation_certain

    def confusion(self, worker: str) -> Array:
        """Return the expected confusion matrix of a worker, relations as rows."""
        # An unseen worker gets the posterior predictive of a new worker.
        number = self._numbers.get(worker, self.size)
        log_types, own_parameters = self._types.predictive(self.size + 1)
        column = slice(number, number + 1)
        own: Array = self._expected_confusion(log_types[:, column], own_parameters[column])[0]
        return own

    def reliabilities(self, workers: Indices) -> list[Reliability]:
        """Describe every worker.

        Parameters
        ----------
        workers
            The worker of each answer, by number.
        """
        answers = np.bincount(workers, minlength=self.size)
        return [
            Reliability(name, int(answers[number]), *accuracy_and_information(self.confusion(name)))
            for name, number in self._numbers.items()
        ]

    def _expected_confusion(self, log_types: Array, own_parameters: Array) -> Array:
        """Return the mixture of the confusion matrices of all types, by worker."""
        types = softmax(log_types)[:, :, None, None]
        ordinary = self.ordinary
        mixture: Array = types[0] * ordinary + types[1] * ordinary[::-1]
        mixture += types[2] * confusion_matrices(own_parameters)
        return mixture

    # -- likelihood -----------------------------------------------------------------------------

    def posterior_likelihood(self, workers: Indices, outcomes: Indices) -> Array32:
        """Return P(outcome | relation) of answers given all that is known of their workers.

        For answers that are in the posterior of their worker use the `cavity_likelihood`.
        """
        expected = self._expected_confusion(*self._types.predictive(self.size))
        by_relation = expected.transpose(1, 0, 2).reshape(3, -1).astype(np.float32)
        likelihood: Array32 = by_relation[:, workers * 3 + outcomes]
        return likelihood

    def cavity_likelihood(self, workers: Indices, outcomes: Indices) -> ResponseLikelihood:
        """Return the likelihood of all answers, each given its worker's other answers."""
        types = self._types.cavity(workers, self.size)
        return ResponseLikelihood(types, self._likelihood_by_type(workers, outcomes))

    def _likelihood_by_type(self, workers: Indices, outcomes: Indices) -> Array32:
        """Return the likelihood of each answer, by type and relation."""
        ordinary = self.ordinary.astype(np.float32)
        own_parameters = self._types.predictive(self.size)[1]
        own = confusion_matrices(own_parameters).transpose(1, 0, 2).reshape(3, -1)
        return np.stack(
            [
                ordinary[:, outcomes],
                ordinary[::-1][:, outcomes],
                own.astype(np.float32)[:, workers * 3 + outcomes],
            ]
        )

    # -- updating -------------------------------------------------------------------------------

    def update(
        self,
        workers: Indices,
        outcomes: Indices,
        relations: Array32,
        likelihood: ResponseLikelihood | None = None,
    ) -> None:
        """Update types and confusion matrices from all answers (an M step).

        Parameters
        ----------
        relations
            The cavity probability of each relation (rows) for each answer.
        likelihood
            The cavity likelihood of the answers, if it is at hand.
        """
        likelihood = likelihood or self.cavity_likelihood(workers, outcomes)
        joint = likelihood.by_type * relations
        messages = joint.sum(axis=1)
        joint *= likelihood.types[:, None]
        evidence = (likelihood.types * messages).sum(axis=0)
        joint /= evidence
        self._update(workers, outcomes, messages, joint, evidence)

    def update_given_relations(
        self, workers: Indices, outcomes: Indices, relations: Array32
    ) -> None:
        """Update from relations that are fixed whatever the outcomes were.

        The confusion matrices up to now were estimated from other relations.
        """
        messages = (self._likelihood_by_type(workers, outcomes) * relations).sum(axis=1)
        self._types.observe_afresh(np.log(messages), workers, self.size, self.ordinary)
        types = self._types.cavity(workers, self.size)
        joint = types[:, None] * relations
        joint /= joint.sum(axis=(0, 1))
        self._update(workers, outcomes, messages, joint, (types * messages).sum(axis=0))

    def _update(
        self,
        workers: Indices,
        outcomes: Indices,
        messages: Array32,
        joint: Array32,
        evidence: Array32,
    ) -> None:
        """Update from the messages of answers to their workers' types.

        Parameters
        ----------
        joint
            The posterior over type and relation of each answer.
        evidence
            The probability of each answer given all others.
        """
        self._types.observe(np.log(messages))
        self._update_parameters(outcomes, joint)
        cells, relations = workers * 3 + outcomes, joint.sum(axis=0)
        outcome_counts: list[Array] = [
            np.bincount(cells, row, 3 * self.size).reshape(-1, 3).T.astype(np.float64)
            for row in relations
        ]
        self.log_evidence += self._types.update(workers, self.size, outcome_counts, self.ordinary)
        self.log_evidence -= float(np.log(evidence).sum(dtype=np.float64))

    def _update_parameters(self, outcomes: Indices, joint: Array32) -> None:
        """Estimate the shared matrix from ordinary workers, and mirrored from reversing ones."""
        outcome_counts = weighted_counts(outcomes, joint[ORDINARY]) + weighted_counts(
            outcomes, joint[REVERSING, ::-1]
        )
        if self._types.gold:
            types = softmax(self._types.predictive(self.size)[0])
            gold_counts = self._types.gold.counts(self.size)
            outcome_counts = outcome_counts + np.tensordot(types[ORDINARY], gold_counts, axes=1)
            outcome_counts += np.tensordot(types[REVERSING], gold_counts[:, ::-1], axes=1)
        self._parameters, self.log_evidence = estimate_shared_parameters(
            outcome_counts, self.expected_error
        )

    # -- other explanations ---------------------------------------------------------------------

    def mirror(self) -> None:
        """Exchange ordinary and reversing workers."""
        self._types.mirror()

    def suspect_reversal(self) -> None:
        """Expect that some workers reverse their answers, rather than that all err often."""
        self._parameters = expected_parameters(SUSPECTED_ERROR)
        self._types.suspect_reversal(self.ordinary)

    def restarted(self, reversing: Mask) -> "CrowdModel":
        """Return a model of the same workers from gold responses and two camps only."""
        restarted = CrowdModel(self.expected_error)
        restarted._numbers = self._numbers.copy()
        restarted._types = self._types.restarted(reversing, restarted.ordinary)
        return restarted
