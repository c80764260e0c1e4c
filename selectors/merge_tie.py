"""Merge-Tie-Judge with features: an active SVM learns which pairs are ties, then classes merge.

Hui and Berberich, "Merge-Tie-Judge: Low-Cost Preference Judgments with Ties", ICTIR 2017. Unlike
in the paper, the tie matrix is the machine's calibrated probability *times* an RBF kernel of the
documents' features and exponential noise, and the training pairs of the machine are chosen among
those with the largest entries. So training buys comparisons that are needed anyway, and documents
that all systems treat alike are merged before large classes start to absorb everything.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nextpair.selectors.base import Choice, Idle, Selector, WorkerHistory
from nextpair.selectors.errors import BadOption, NegativeCount
from nextpair.selectors.state import bitset, tie_svm
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Comparison, Outcome
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order
from nextpair.selectors.state.tie_matrix import TieMatrix, exponential_ties


@dataclass(frozen=True, slots=True)
class MergeTieOptions:
    """Options of `merge-tie`.

    Parameters
    ----------
    svm_judgments
        Comparisons the machine is trained on before it fills the tie matrix; 0 disables it.
    pool
        Candidate pairs among which each training pair is chosen.
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
        self._training: list[Comparison] = []
        self._is_training = bool(documents.feature_names) and options.svm_judgments > 0
        self._ties = TieMatrix(self._prior_ties)

    @cached_property
    def _space(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        return tie_svm.principal_components(self.documents.features)

    def _prior_ties(self) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        noise = exponential_ties(len(self.documents), np.random.default_rng(self.seed))
        noise *= tie_svm.rbf_similarity(self._space)
        return noise

    def absorb(self, comparison: Comparison, merge: Merge | None) -> None:
        """Record a training pair; after the last one, fill the tie matrix."""
        if merge is not None:
            self._ties.merge(merge)
        if self._is_training:
            self._training.append(comparison)
            if len(self._training) >= self.options.svm_judgments:
                self._is_training = False
                self._ties = TieMatrix(self._posterior_ties, self._merged_classes())

    def _merged_classes(self) -> dict[int, tuple[int, ...]]:
        classes = {label: self.order.members(label) for label in bitset.members(self.order.labels)}
        return {label: members for label, members in classes.items() if len(members) > 1}

    def _posterior_ties(self) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        ties = self._prior_ties()
        ties *= self._svm_ties()
        return ties

    def _svm_ties(self) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        first, second = np.array(
            [(comparison.first, comparison.second) for comparison in self._training]
        ).T
        return tie_svm.tie_probabilities(self._space, first, second, self._training_ties())

    def _training_ties(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.array([comparison.outcome is Outcome.TIE for comparison in self._training])

    def choose(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose the best training pair; after training, the most probable tie."""
        if self.order.complete:
            return Idle.DONE
        if self._is_training and self._training:
            return self._choose_training_pair(open_pairs, rng)
        classes = self._ties.largest_pair(self.order.unknown, open_pairs.free)
        return self.idle_reason() if classes is None else self.draw_pair(*classes, open_pairs, rng)

    def _choose_training_pair(self, open_pairs: OpenPairs, rng: np.random.Generator) -> Choice:
        pool = self._ties.candidates(open_pairs.free, self.options.pool)
        if not pool:
            return self.idle_reason()
        first, second = np.array(
            [(comparison.first, comparison.second) for comparison in self._training]
        ).T
        known = tie_svm.pair_features(self._space, first, second)
        candidates = tie_svm.pair_features(self._space, *np.array(pool).T)
        chosen = pool[tie_svm.most_ambiguous(known, self._training_ties(), candidates)]
        return self.avoid_barred(*chosen, open_pairs, rng)
