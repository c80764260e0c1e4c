"""Merge-Tie-Judge with features: an active SVM learns which documents are alike, then ties merge.

Hui and Berberich, "Merge-Tie-Judge: Low-Cost Preference Judgments with Ties", ICTIR 2017. What
differs from the paper: the tie matrix is the machine's calibrated probability *times* how alike two
documents' features are, with exponential noise, and the questions that seed the machine are drawn
from the pairs that matrix ranks highest. Seeding then buys comparisons that are needed anyway, and
documents that all systems treat alike are merged before the large classes start to swallow.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nextpair.selectors.base import Choice, Idle, Selector, Worker
from nextpair.selectors.errors import BadOption, NegativeCount
from nextpair.selectors.state import bitset, tie_svm
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Finding, Outcome
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order
from nextpair.selectors.state.tie_matrix import TieMatrix, exponential_ties


@dataclass(frozen=True, slots=True)
class MergeTieOptions:
    """Options of `merge-tie`.

    Parameters
    ----------
    svm_judgments
        Findings the machine learns from before it fills the tie matrix; 0 does without it.
    pool
        Candidate pairs among which it chooses each of its questions.
    """

    svm_judgments: int = 20
    pool: int = 256

    def __post_init__(self) -> None:
        if self.svm_judgments < 0:
            raise NegativeCount(f"svm_judgments must not be negative, got {self.svm_judgments}")
        if self.pool < 1:
            raise BadOption(f"pool must hold at least one pair, got {self.pool}")


class MergeTie(Selector):
    """Grows tie classes from documents whose features are alike."""

    name = "merge-tie"
    Options = MergeTieOptions

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        self._seeds: list[Finding] = []
        self._learning = bool(documents.feature_names) and options.svm_judgments > 0
        self._ties = TieMatrix(self._prior)

    @cached_property
    def _space(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        return tie_svm.document_space(self.documents.features)

    def _prior(self) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        noise = exponential_ties(len(self.documents), np.random.default_rng(self.seed))
        noise *= tie_svm.likeness(self._space)
        return noise

    def absorb(self, finding: Finding, merge: Merge | None) -> None:
        """Learn a tie or a difference; once enough are known, fill the tie matrix."""
        if merge is not None:
            self._ties.merge(merge)
        if self._learning:
            self._seeds.append(finding)
            if len(self._seeds) >= self.options.svm_judgments:
                self._learning = False
                self._ties = TieMatrix(self._learned, self._merged_classes())

    def _merged_classes(self) -> dict[int, tuple[int, ...]]:
        classes = {label: self.order.members(label) for label in bitset.members(self.order.labels)}
        return {label: members for label, members in classes.items() if len(members) > 1}

    def _learned(self) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        learned = self._prior()
        learned *= self._fitted()
        return learned

    def _fitted(self) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        first, second = np.array([(seed.first, seed.second) for seed in self._seeds]).T
        return tie_svm.tie_probabilities(self._space, first, second, self._seed_ties())

    def _seed_ties(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.array([seed.outcome is Outcome.TIE for seed in self._seeds])

    def choose(self, open_pairs: OpenPairs, worker: Worker, rng: np.random.Generator) -> Choice:
        """Choose the pair the machine would learn most from, then the likeliest tie."""
        if self.order.complete:
            return Idle.DONE
        if self._learning and self._seeds:
            return self._choose_seed(open_pairs, rng)
        found = self._ties.largest(self.order.unknown, open_pairs.free)
        return self.pause() if found is None else self.pair_of(*found, open_pairs, rng)

    def _choose_seed(self, open_pairs: OpenPairs, rng: np.random.Generator) -> Choice:
        pool = self._ties.candidates(open_pairs.free, self.options.pool)
        if not pool:
            return self.pause()
        first, second = np.array([(seed.first, seed.second) for seed in self._seeds]).T
        known = tie_svm.pair_features(self._space, first, second)
        candidates = tie_svm.pair_features(self._space, *np.array(pool).T)
        chosen = pool[tie_svm.most_ambiguous(known, self._seed_ties(), candidates)]
        return self.unbarred(*chosen, open_pairs, rng)
