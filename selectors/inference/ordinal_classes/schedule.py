"""The inference schedule: rarely enough to be cheap, often enough to be right.

A fit starts from the last one, with all comparisons since. In between, `current` returns a snapshot
that is fitted further, from there to nearly the last comparison; the very last ones update only
their own two documents. Reading leaves no trace: a fold over a long log makes the few fits that
others start from, and at the end a single one to be read.
"""

import numpy as np

from nextpair.selectors.aggregation import bradley_terry
from nextpair.selectors.inference.comparisons import BETTER, TIE, WORSE, Observation
from nextpair.selectors.inference.numerics import Array
from nextpair.selectors.inference.ordinal_classes.feature_prior import FeatureModel
from nextpair.selectors.inference.ordinal_classes.posterior import ClassPosterior
from nextpair.selectors.inference.ordinal_classes.snapshot import ClassSnapshot
from nextpair.selectors.inference.ordinal_classes.structure_search import search_structure
from nextpair.selectors.inference.schedule import InferenceSchedule
from nextpair.selectors.inference.workers.crowd import USUAL_ERROR
from nextpair.selectors.state.documents import Documents

SWEEPS = 2
"""Sweeps of messages in a fit that others start from."""
CONVERGED_SWEEPS = 6
"""Sweeps in the fit that is reported."""
REFIT_DIVISOR, FEW_COMPARISONS, REFIT_DIVISOR_OF_MANY = 20, 1_000, 2
"""A fit is due when the comparisons have grown by one in this many, of few and of many."""
CURRENT_REFIT_DIVISOR, CURRENT_SWEEPS = 100, 2
"""The snapshot to choose pairs from is fitted anew when the comparisons have grown by one in this
many since the last fit, with this many sweeps: what one answer makes certain of other documents
need not be asked."""
SEARCH_GROWTH, SEARCH_GROWTH_OF_MANY = 1.5, 2.0
"""Swaps, merges and splits of classes, which take time, are tried when the comparisons have grown
by this factor."""
FEATURE_GROWTH = 1.25
"""The feature model is fitted anew when the comparisons have grown by this factor, or the classes
have changed."""
SEARCH_TRIES, CONVERGED_SEARCH_TRIES = 2, 6
"""The tries of the structure search then, and in the fit that is reported."""


class ClassSchedule(InferenceSchedule[ClassSnapshot]):
    """The posterior over the places of a topic's documents, fitted from time to time."""

    def __init__(self, documents: Documents, founder: int, error: float = USUAL_ERROR) -> None:
        self._size = len(documents)
        self._features = FeatureModel(documents)
        self._priors = documents.priors
        self._founder = founder
        # Numbers of documents by position, in the order in which they were first compared.
        self._numbers: dict[int, int] = {}
        self._posterior = ClassPosterior(error)
        # The features' odds in the last fit, and for the classes that came of it.
        self._feature_log_odds: Array | None = None
        self._new_feature_log_odds: Array | None = None
        self._fit_due = self._searched_at = self._features_fitted_at = 1
        # Comparisons since the last fit; how many the snapshot is fitted to, and has observed.
        self._recent: list[Observation] = []
        self._current: ClassSnapshot | None = None
        self._fitted_recent = self._observed_recent = 0
        self._converged: ClassSnapshot | None = None

    @property
    def count(self) -> int:
        """How many comparisons there are."""
        return len(self._posterior.comparisons)

    def observe(self, first: int, second: int, outcome: int, worker: str) -> None:
        """Add one comparison."""
        comparisons, numbers = self._posterior.comparisons, self._numbers
        # Numbered as they come, the better one first, so that positions have no effect on a fit;
        # of two that are tied the one with the higher prior score.
        if outcome == WORSE or (outcome == TIE and self._priors[second] > self._priors[first]):
            first, second, outcome = second, first, TIE if outcome == TIE else BETTER
        number, other = (numbers.setdefault(each, len(numbers)) for each in (first, second))
        comparisons.append(number, other, outcome, self._posterior.crowd.number(worker))
        self._recent.append((first, second, outcome, worker))
        self._converged = None
        count = len(comparisons)
        if count >= self._fit_due:
            is_feature_fit_due = count >= FEATURE_GROWTH * self._features_fitted_at
            if not self._posterior.has_feature_odds or is_feature_fit_due:
                self._features_fitted_at = count
                self._feature_log_odds = self._fit_features(self._posterior)
            self._posterior = self._fit(
                self._posterior, self._feature_log_odds, SWEEPS, self._search_tries()
            )
            self._current = self._new_feature_log_odds = None
            self._recent.clear()
            divisor = REFIT_DIVISOR if count < FEW_COMPARISONS else REFIT_DIVISOR_OF_MANY
            self._fit_due = count + max(1, count // divisor)

    def observe_gold(self, worker: str, truth: int, outcome: int) -> None:
        """Add the response to a gold question; it counts from the next fit on."""
        self._posterior.crowd.observe_gold(worker, truth, outcome)
        self._current = self._converged = None

    def _search_tries(self) -> int:
        """Return the tries of the structure search in the fit that is due."""
        count = len(self._posterior.comparisons)
        growth = SEARCH_GROWTH if count < FEW_COMPARISONS else SEARCH_GROWTH_OF_MANY
        if count < growth * self._searched_at:
            return 0
        self._searched_at = count
        return SEARCH_TRIES

    def current(self) -> ClassSnapshot:
        """Return a posterior that is good enough to choose the next pair."""
        recent = len(self._recent)
        step = max(1, (len(self._posterior.comparisons) - recent) // CURRENT_REFIT_DIVISOR)
        to_fit = recent - recent % step
        if self._current is None or self._fitted_recent != to_fit:
            self._current = self._refit(recent - to_fit)
            self._fitted_recent = self._observed_recent = to_fit
        self._current.observe(self._recent[self._observed_recent :])
        self._observed_recent = recent
        return self._current

    def _refit(self, without: int) -> ClassSnapshot:
        """Return a snapshot fitted to all comparisons but the last ones, leaving the fold alone."""
        if without == len(self._recent):
            return self._snapshot(self._posterior, self._feature_log_odds)
        posterior = self._posterior.copy(len(self._posterior.comparisons) - without)
        log_odds = self._feature_log_odds
        if not self._posterior.has_feature_odds:
            if self._new_feature_log_odds is None:
                self._new_feature_log_odds = self._fit_features(self._posterior)
            log_odds = self._new_feature_log_odds
        return self._snapshot(self._fit(posterior, log_odds, CURRENT_SWEEPS, 0), log_odds)

    def converged(self) -> ClassSnapshot:
        """Return a posterior that is fitted to all comparisons, to be reported."""
        if self._converged is None:
            posterior, log_odds = self._posterior.copy(), self._fit_features(self._posterior)
            if len(posterior.comparisons):
                posterior = self._fit(posterior, log_odds, CONVERGED_SWEEPS, CONVERGED_SEARCH_TRIES)
            self._converged = self._snapshot(posterior, log_odds)
        return self._converged

    def bradley_terry_scores(self) -> Array:
        """Score every document by Bradley-Terry, whatever the classes; 0 for an unjudged one."""
        comparisons = self._posterior.comparisons
        ranking = bradley_terry.fit_bradley_terry(
            bradley_terry.collect_pair_responses(
                len(self._numbers),
                comparisons.first,
                comparisons.second,
                comparisons.outcome,
                comparisons.worker,
            )
        )
        scores = np.zeros(self._size)
        scores[list(self._numbers)] = ranking.scores
        return scores

    def _fit(
        self, posterior: ClassPosterior, log_odds: Array | None, sweeps: int, tries: int
    ) -> ClassPosterior:
        """Fit a posterior to its comparisons, given the features' log-odds of every document."""
        documents = list(self._numbers)[: posterior.comparisons.document_count]
        posterior.extend(len(documents), None if log_odds is None else log_odds[documents])
        for _ in range(sweeps):
            posterior.update_prior()
            posterior.pass_messages()
            posterior.reverse_order()
        return search_structure(posterior, tries)

    def _fit_features(self, posterior: ClassPosterior) -> Array | None:
        """Return by document and class the log of how much likelier its features make the class."""
        if not self._features.is_informative:
            return None
        memberships = np.zeros((self._size, posterior.class_count))
        memberships[list(self._numbers)[: posterior.size]] = posterior.probabilities[:, 1::2]
        return self._features.log_likelihood(memberships)

    def _snapshot(self, posterior: ClassPosterior, log_odds: Array | None) -> ClassSnapshot:
        documents = list(self._numbers)[: posterior.size]
        return ClassSnapshot(posterior, self._size, documents, self._founder, log_odds)
