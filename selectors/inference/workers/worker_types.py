"""Posterior over worker types.

A worker is of one of three types: *ordinary*, with the confusion matrix of the crowd; *reversing*,
with the same matrix but better and worse exchanged; or *idiosyncratic*, with a confusion matrix of
their own. Type and answers are part of one factor graph: every answer sends its worker a message
about the type, and is weighted by the cavity, the posterior from the worker's other answers.

The mirror image of an order explains all answers equally well, if reversing workers are taken for
ordinary ones and the others for reversing. Only the type prior and gold responses tell the two
apart.
"""

import copy

import numpy as np

from nextpair.selectors.inference.numerics import (
    Array,
    Array32,
    Indices,
    Mask,
    logsumexp,
    normalized,
    softmax,
)
from nextpair.selectors.inference.workers.confusion_matrices import (
    confusion_matrices,
    estimate_parameters,
    parameter_counts,
)
from nextpair.selectors.inference.workers.gold_responses import GoldResponses

ORDINARY, REVERSING, IDIOSYNCRATIC = range(3)
MIRRORED_TYPES = [REVERSING, ORDINARY, IDIOSYNCRATIC]
"""The type that each type is in the mirror image of the order."""
TYPE_PRIOR_COUNTS = np.array([19.0, 0.2, 1.0])
"""Dirichlet prior of the type shares, as workers of each type that every crowd starts with."""
MAX_REVERSING_SHARE = 0.4
"""The largest share of reversing workers: with more, right and wrong could not be told apart."""
SUSPECTED_SHARES = np.array([0.65, 0.3, 0.05])
"""Type shares where many workers are suspected to reverse."""
CAMP_DOUBT = 0.05
"""Initial probability of either wrong type for the members of a camp."""
ORIENTATION_LOG_ODDS = 40.0
"""Log-odds of an order against its mirror image at which its orientation is certain, where some
workers may reverse.

Far more than seems necessary: documents were placed to agree with the very answers that count."""
DAMPING = 0.5
"""The weight of the old message when a message to a worker is sent again."""
UNIFORM_PARAMETERS = np.array([1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3])
_USUAL_LOG_SHARES = np.log(TYPE_PRIOR_COUNTS / TYPE_PRIOR_COUNTS.sum())


class WorkerTypePosterior:
    """Log posterior over the types of workers, types as rows, workers by number as columns."""

    def __init__(self) -> None:
        self.gold = GoldResponses()
        self.log_shares = _USUAL_LOG_SHARES
        """The logarithm of the share of workers of each type."""
        self._own_parameters, self._own_log_evidence = np.zeros((0, 5)), np.zeros(0)
        self._log_posterior = self._gold_messages = np.zeros((3, 0))
        self._messages: Array32 = np.zeros((3, 0), dtype=np.float32)

    def copy(self) -> "WorkerTypePosterior":
        """Return a posterior that can be updated independently."""
        # Arrays are replaced when they change, never written to.
        copied = copy.copy(self)
        copied.gold = self.gold.copy()
        return copied

    def restarted(self, reversing: Mask, ordinary: Array) -> "WorkerTypePosterior":
        """Return a posterior of the same workers from gold responses and two camps only.

        Parameters
        ----------
        reversing
            The workers of the camp that is taken to reverse.
        ordinary
            The confusion matrix of an ordinary worker.
        """
        restarted = WorkerTypePosterior()
        restarted.gold = self.gold.copy()
        restarted.log_shares = np.log(SUSPECTED_SHARES)
        camp = np.log([1 - 2 * CAMP_DOUBT, CAMP_DOUBT, CAMP_DOUBT])
        restarted._gold_messages = restarted._messages_from_gold(len(reversing), ordinary)
        restarted._log_posterior = restarted._gold_messages + np.where(
            reversing, camp[MIRRORED_TYPES, None], camp[:, None]
        )
        return restarted

    # -- reading --------------------------------------------------------------------------------

    def predictive(self, workers: int) -> tuple[Array, Array]:
        """Return log posteriors and own confusion parameters of the first workers.

        Unseen workers get the shares of the crowd and uniform parameters.
        """
        log_posterior = np.tile(self.log_shares[:, None], workers)
        own_parameters = np.tile(UNIFORM_PARAMETERS, (workers, 1))
        log_posterior[:, : self._log_posterior.shape[1]] = self._log_posterior
        own_parameters[: len(self._own_parameters)] = self._own_parameters
        return log_posterior, own_parameters

    def cavity(self, workers: Indices, size: int) -> Array32:
        """Return the type posterior of the worker of each answer, without that answer.

        Parameters
        ----------
        workers
            The worker of each answer.
        size
            How many workers there are.
        """
        log_posterior = self.predictive(size)[0].astype(np.float32)
        log_cavity: Array32 = log_posterior[:, workers] - self._messages_of(len(workers))
        return softmax(log_cavity)

    def _messages_of(self, count: int) -> Array32:
        """Return the messages of the first answers; new answers have not sent any."""
        messages = np.zeros((3, count), dtype=np.float32)
        messages[:, : self._messages.shape[1]] = self._messages
        return messages

    @property
    def mirror_log_odds(self) -> float:
        """The log-odds, from workers, of the mirror image against the order."""
        mirrorable = self._mirrorable_evidence()
        fixed = self._gold_messages + _USUAL_LOG_SHARES[:, None]
        mirrored = logsumexp(mirrorable[MIRRORED_TYPES] + fixed)
        return float((mirrored - logsumexp(mirrorable + fixed)).sum())

    @property
    def is_orientation_certain(self) -> bool:
        """Whether the order is not its own mirror image, as surely as workers can tell."""
        types = softmax(self._log_posterior)
        # Once the type of every worker is known, more answers change nothing: this is the limit.
        limit = float(
            (types[ORDINARY] - types[REVERSING]).sum()
            * (_USUAL_LOG_SHARES[ORDINARY] - _USUAL_LOG_SHARES[REVERSING])
        )
        return -self.mirror_log_odds >= min(ORIENTATION_LOG_ODDS, limit / 2)

    def _mirrorable_evidence(self) -> Array:
        """Return the log evidence for types that would be mirrored with the order."""
        evidence: Array = self._log_posterior - self.log_shares[:, None] - self._gold_messages
        return evidence

    # -- updating -------------------------------------------------------------------------------

    def observe(self, messages: Array32) -> None:
        """Receive the log messages of all answers about their workers' types, damped."""
        self._messages = DAMPING * self._messages_of(messages.shape[1]) + (1 - DAMPING) * messages

    def observe_afresh(
        self, messages: Array32, workers: Indices, size: int, ordinary: Array
    ) -> None:
        """Replace all messages, without damping, and recompute the posterior."""
        self._messages = messages
        self._combine(workers, size, ordinary)

    def update(
        self, workers: Indices, size: int, outcome_counts: list[Array], ordinary: Array
    ) -> float:
        """Update types, shares and own parameters; return the log evidence of the workers.

        Parameters
        ----------
        workers
            The worker of each answer.
        size
            How many workers there are.
        outcome_counts
            For each relation the expected counts of its outcomes, outcomes as rows, by worker.
        ordinary
            The confusion matrix of an ordinary worker.
        """
        if self.gold:
            gold_counts = self.gold.counts(size).transpose(1, 2, 0)
            outcome_counts = [
                own + gold for own, gold in zip(outcome_counts, gold_counts, strict=True)
            ]
        self._own_parameters, self._own_log_evidence = estimate_parameters(
            parameter_counts(*outcome_counts)
        )
        evidence = self._combine(workers, size, ordinary)
        types = softmax(self._log_posterior)
        shares = normalized(types.sum(axis=1) + TYPE_PRIOR_COUNTS)
        shares[IDIOSYNCRATIC] = TYPE_PRIOR_COUNTS[IDIOSYNCRATIC] / TYPE_PRIOR_COUNTS.sum()
        shares[REVERSING] = min(shares[REVERSING], MAX_REVERSING_SHARE)
        shares[ORDINARY] = 1 - shares[REVERSING] - shares[IDIOSYNCRATIC]
        self.log_shares = np.log(shares)
        self._log_posterior = evidence + self.log_shares[:, None]
        log_prior = TYPE_PRIOR_COUNTS @ self.log_shares
        return float(logsumexp(self._log_posterior).sum() + log_prior)

    def _combine(self, workers: Indices, size: int, ordinary: Array) -> Array:
        """Sum the messages of answers and gold responses by worker, and set the posterior."""
        evidence: Array = np.stack(
            [np.bincount(workers, row, size).astype(np.float64) for row in self._messages]
        )
        evidence[IDIOSYNCRATIC, : len(self._own_log_evidence)] += self._own_log_evidence
        self._gold_messages = self._messages_from_gold(size, ordinary)
        evidence += self._gold_messages
        self._log_posterior = evidence + self.log_shares[:, None]
        return evidence

    def _messages_from_gold(self, size: int, ordinary: Array) -> Array:
        """Return what gold responses say about the types of the first workers."""
        if not self.gold:
            return np.zeros((3, size))
        own_parameters = self.predictive(size)[1][:size]
        return self.gold.log_likelihood(ordinary, confusion_matrices(own_parameters))

    # -- mirror images --------------------------------------------------------------------------

    def mirror(self) -> None:
        """Exchange ordinary and reversing workers, except for what gold responses say."""
        self._messages = self._messages[MIRRORED_TYPES]
        mirrored = self._mirrorable_evidence()[MIRRORED_TYPES]
        self.log_shares = _USUAL_LOG_SHARES
        self._log_posterior = mirrored + self._gold_messages + self.log_shares[:, None]

    def suspect_reversal(self, ordinary: Array) -> None:
        """Expect that many workers reverse, and discard the messages of answers."""
        self.log_shares = np.log(SUSPECTED_SHARES)
        self._messages = np.zeros_like(self._messages)
        self._gold_messages = self._messages_from_gold(self._log_posterior.shape[1], ordinary)
        self._log_posterior = self._gold_messages + self.log_shares[:, None]
