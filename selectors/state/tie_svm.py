"""An active support vector machine that learns, from a few judgments, which pairs are ties.

Hui and Berberich (ICTIR 2017) seed Merge-Tie-Judge with it; the question asked next follows the
Ratio Margin rule of Tong and Koller (JMLR 2, 2002). For each candidate pair one machine is trained
as if the pair were a tie and one as if it were not, m+ and m- are their margins, and the candidate
with the LARGEST min(m+/m-, m-/m+) is asked: both of its answers are equally plausible. As in Tong
and Koller a constant on the Gram matrix's diagonal keeps any labelling separable, so every support
vector lies at the margin, 1 / |w|; the paper's sum of margins over them would mostly count them.

Two machines for each of some hundred candidates are small duals that share all but one row of the
Gram matrix, so they are solved together.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DIMENSIONS = 4
"""Directions kept of the documents' features; a few dozen judgments cannot weigh more."""
BANDWIDTH = 0.15
"""Distance, in units of the main direction's spread, at which documents stop being alike."""
RIDGE = 1.0
"""What is added to the Gram matrix's diagonal: how much one judgment may be an exception."""
BLOCK = 64
"""Rows of an N x N matrix computed together."""
FEW_COLUMNS = 256
"""Up to so many features, directions are found from the products of all pairs of them."""
NOTHING = 1e-12
"""A direction whose squares add up to less than this share of the main one's is rounding."""
SWEEPS = 12
"""Passes over the dual variables: most margins are then within a percent of their limits."""


def document_space(features: Array, dimensions: int = DIMENSIONS) -> Array:
    """Return the main directions of the documents' features.

    A missing value stands at its feature's mean, and that it is missing is a feature of its own:
    a system that did not return a document has said something about it.
    """
    missing = np.isnan(features)
    columns = np.hstack([_standardise(features), _standardise(missing.astype(np.float64))])
    columns = columns[:, columns.any(axis=0)]
    if not columns.size:
        return np.zeros((len(features), 1))
    found = _main_directions(columns)[:, :dimensions]
    # A direction's sign is the solver's whim; fix it, so that every machine sees the same space.
    found *= np.sign(found[np.abs(found).argmax(axis=0), np.arange(found.shape[1])])
    return np.asarray(found * np.sqrt(len(features)) / np.linalg.norm(found[:, 0]))


def _main_directions(columns: Array) -> Array:
    """Return the principal components of columns, largest first."""
    if columns.shape[1] > FEW_COLUMNS:
        left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
        return np.asarray(left * sizes)
    # The same for few columns, without threads: they take many times as long where other processes
    # are at work.
    squares, turn = np.linalg.eigh(np.einsum("nk,nl->kl", columns, columns))
    kept = np.flatnonzero(squares > squares[-1] * NOTHING)[::-1]
    return np.asarray(np.einsum("nk,kl->nl", columns, turn[:, kept]))


def _standardise(columns: Array) -> Array:
    present = ~np.isnan(columns)
    count = np.maximum(present.sum(axis=0), 1)
    filled = np.where(present, columns, 0.0)
    mean = filled.sum(axis=0) / count
    centred = np.where(present, columns - mean, 0.0)
    spread = np.sqrt((centred**2).sum(axis=0) / count)
    scaled: Array = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-12)
    return scaled


def likeness(space: Array) -> NDArray[np.float32]:
    """Return how alike any two documents are, from nearly 0 to 1."""
    places = space.astype(np.float32)
    alike = np.empty((len(space), len(space)), dtype=np.float32)
    for rows, onwards in _blocks(len(space)):
        near = np.zeros_like(alike[rows, onwards])
        for direction in places.T:
            near += (direction[rows, None] - direction[None, onwards]) ** 2
        alike[rows, onwards] = np.exp(near / np.float32(-2 * BANDWIDTH**2))
        alike[onwards, rows] = alike[rows, onwards].T
    # Never quite 0: among classes that are nothing like each other, size must still decide.
    return alike.clip(min=np.float32(1e-12), out=alike)


def _blocks(size: int) -> Iterator[tuple[slice, slice]]:
    """Cut a symmetric matrix into blocks of rows, each from the diagonal onwards.

    What is done to a few rows is done while they are at hand, and only half of them need it.
    """
    return ((slice(start, start + BLOCK), slice(start, size)) for start in range(0, size, BLOCK))


def pair_features(space: Array, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    """Describe pairs by what does not depend on their sides: differences and sums."""
    return np.hstack([np.abs(space[first] - space[second]), space[first] + space[second]])


def most_ambiguous(known: Array, ties: NDArray[np.bool_], candidates: Array) -> int:
    """Return the candidate whose two possible answers are most alike in plausibility.

    Parameters
    ----------
    known, ties
        The pairs judged so far, and whether they came out as ties.
    """
    labels = np.repeat([1.0, -1.0], len(candidates))
    margins = _margins(known, ties, np.vstack([candidates, candidates]), labels)
    as_tie, as_no_tie = np.split(margins, 2)
    return int(np.minimum(as_tie / as_no_tie, as_no_tie / as_tie).argmax())


def _margins(known: Array, ties: NDArray[np.bool_], candidates: Array, labels: Array) -> Array:
    """Train one machine per candidate, with its label, and return the margin of each.

    Dual coordinate ascent on all machines at once, from the machine that knows no candidate. A
    constant feature stands in for the bias, so a dual variable heeds nothing but its own sign.
    """
    answers = np.where(ties, 1.0, -1.0)
    shared = (known @ known.T + 1.0) * np.outer(answers, answers) + RIDGE * np.eye(len(known))
    own = (candidates @ known.T + 1.0) * np.outer(labels, answers)
    square = (candidates**2).sum(axis=1) + 1.0 + RIDGE
    start = _solve(shared)
    alpha = np.tile(np.append(start, 0.0), (len(candidates), 1))
    reached = np.column_stack([np.tile(shared @ start, (len(candidates), 1)), own @ start])
    for _ in range(SWEEPS):
        for i in range(len(known)):
            step = _ascend(alpha, reached, i, shared[i, i])
            reached[:, :-1] += step[:, None] * shared[i]
            reached[:, -1] += step * own[:, i]
        step = _ascend(alpha, reached, -1, square)
        reached[:, :-1] += step[:, None] * own
        reached[:, -1] += step * square
    # At the optimum the squared length of w is the sum of the dual variables.
    return np.asarray(1.0 / np.sqrt(alpha.sum(axis=1)))


def _solve(gram: Array) -> Array:
    """Solve one dual, which is non-negative least squares on a root of its Gram matrix."""
    from nextpair.selectors.deferred.learners import nnls

    root = np.linalg.cholesky(gram)
    return np.asarray(nnls(root.T, np.linalg.solve(root, np.ones(len(gram))))[0])


def _ascend(alpha: Array, reached: Array, i: int, curvature: Array | float) -> Array:
    moved = np.maximum(alpha[:, i] + (1.0 - reached[:, i]) / curvature, 0.0)
    step: Array = moved - alpha[:, i]
    alpha[:, i] = moved
    return step


def tie_probabilities(
    space: Array, first: NDArray[np.intp], second: NDArray[np.intp], ties: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Fit the machine on judged pairs and return its calibrated tie probability for all pairs.

    Judged pairs of one kind only teach nothing: every pair is then as likely as any other.
    """
    size = len(space)
    if ties.all() or not ties.any():
        return np.ones((size, size), dtype=np.float32)
    from nextpair.selectors.deferred.learners import SVC, LogisticRegression

    known = pair_features(space, first, second)
    machine = SVC(kernel="linear").fit(known, ties)
    decisions = machine.decision_function(known)[:, None]
    sigmoid = LogisticRegression().fit(decisions, ties)
    slope, offset = sigmoid.coef_[0, 0], sigmoid.intercept_[0]
    weights = slope * machine.coef_[0]
    of_difference, of_sum = np.split(weights, 2)
    single = space @ of_sum
    found = np.empty((size, size), dtype=np.float32)
    for rows, onwards in _blocks(size):
        logit = single[rows, None] + single[None, onwards] + slope * machine.intercept_[0] + offset
        for direction, weight in zip(space.T, of_difference, strict=True):
            logit += weight * np.abs(direction[rows, None] - direction[None, onwards])
        found[rows, onwards] = 1.0 / (1.0 + np.exp(-logit))
        found[onwards, rows] = found[rows, onwards].T
    return found
