"""An active support vector machine that learns from a few comparisons which pairs are ties.

Hui and Berberich (ICTIR 2017) initialise Merge-Tie-Judge with it; queries follow the Ratio Margin
rule of Tong and Koller (JMLR 2, 2002). For each candidate pair one machine is trained with the
label "tie" and one with "no tie"; m+ and m- are their margins, and the candidate with the LARGEST
min(m+/m-, m-/m+) is asked: its two answers are equally plausible. As in Tong and Koller, a constant
on the diagonal of the Gram matrix makes any labelling separable, so every support vector lies at
the margin, 1 / |w|; the paper's sum of margins over support vectors would mostly count them.

The two machines of some hundred candidates are small dual problems that share all but one row of
the Gram matrix, so they are solved together.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DIMENSIONS = 4
"""Principal components of the features; a few dozen comparisons cannot estimate more weights."""
BANDWIDTH = 0.15
"""Bandwidth of the RBF kernel, in standard deviations of the first component."""
RIDGE = 1.0
"""Added to the diagonal of the Gram matrix: the slack that allows for an exceptional comparison."""
BLOCK = 64
"""Rows of an N x N matrix computed together."""
FEW_COLUMNS = 256
"""Up to this many features, components are the eigenvectors of the Gram matrix of the features."""
NOTHING = 1e-12
"""A component with less than this share of the first one's variance is rounding error."""
SWEEPS = 12
"""Passes of coordinate ascent: most margins are then within a percent of their limits."""


def principal_components(features: Array, dimensions: int = DIMENSIONS) -> Array:
    """Return the first principal components of the documents' features.

    A missing value is imputed by its feature's mean, and missingness is a feature of its own: it is
    informative that a system did not return a document.
    """
    missing = np.isnan(features)
    columns = np.hstack([_standardise(features), _standardise(missing.astype(np.float64))])
    columns = columns[:, columns.any(axis=0)]
    if not columns.size:
        return np.zeros((len(features), 1))
    scores = _component_scores(columns)[:, :dimensions]
    # The sign of a component depends on the solver; fix it, so that results are reproducible.
    scores *= np.sign(scores[np.abs(scores).argmax(axis=0), np.arange(scores.shape[1])])
    return np.asarray(scores * np.sqrt(len(features)) / np.linalg.norm(scores[:, 0]))


def _component_scores(columns: Array) -> Array:
    """Return the principal component scores of columns, by descending variance."""
    if columns.shape[1] > FEW_COLUMNS:
        left, singular_values, _ = np.linalg.svd(columns, full_matrices=False)
        return np.asarray(left * singular_values)
    # The same for few columns, by einsum, which uses no threads: BLAS threads take many times as
    # long beside other busy processes.
    variances, rotation = np.linalg.eigh(np.einsum("nk,nl->kl", columns, columns))
    kept = np.flatnonzero(variances > variances[-1] * NOTHING)[::-1]
    return np.asarray(np.einsum("nk,kl->nl", columns, rotation[:, kept]))


def _standardise(columns: Array) -> Array:
    present = ~np.isnan(columns)
    count = np.maximum(present.sum(axis=0), 1)
    filled = np.where(present, columns, 0.0)
    mean = filled.sum(axis=0) / count
    centred = np.where(present, columns - mean, 0.0)
    spread = np.sqrt((centred**2).sum(axis=0) / count)
    scaled: Array = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-12)
    return scaled


def rbf_similarity(space: Array) -> NDArray[np.float32]:
    """Return the RBF kernel of all pairs of documents, from nearly 0 to 1."""
    points = space.astype(np.float32)
    kernel = np.empty((len(space), len(space)), dtype=np.float32)
    for rows, onwards in _blocks(len(space)):
        squared_distances = np.zeros_like(kernel[rows, onwards])
        for direction in points.T:
            squared_distances += (direction[rows, None] - direction[None, onwards]) ** 2
        kernel[rows, onwards] = np.exp(squared_distances / np.float32(-2 * BANDWIDTH**2))
        kernel[onwards, rows] = kernel[rows, onwards].T
    # Never 0: among classes without any similarity, their sizes must still decide.
    return kernel.clip(min=np.float32(1e-12), out=kernel)


def _blocks(size: int) -> Iterator[tuple[slice, slice]]:
    """Yield blocks of rows of the upper triangle of a symmetric matrix.

    A block fits into the cache, and only half of the matrix is computed.
    """
    return ((slice(start, start + BLOCK), slice(start, size)) for start in range(0, size, BLOCK))


def pair_features(space: Array, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    """Return features of pairs that do not depend on their sides: |x - y| and x + y."""
    return np.hstack([np.abs(space[first] - space[second]), space[first] + space[second]])


def most_ambiguous(known: Array, ties: NDArray[np.bool_], candidates: Array) -> int:
    """Return the candidate with the largest ratio margin: its two answers are equally plausible.

    Parameters
    ----------
    known, ties
        The features of the compared pairs, and whether each is a tie.
    """
    labels = np.repeat([1.0, -1.0], len(candidates))
    margins = _margins(known, ties, np.vstack([candidates, candidates]), labels)
    as_tie, as_no_tie = np.split(margins, 2)
    return int(np.minimum(as_tie / as_no_tie, as_no_tie / as_tie).argmax())


def _margins(known: Array, ties: NDArray[np.bool_], candidates: Array, labels: Array) -> Array:
    """Train one machine per labelled candidate, and return their margins.

    Dual coordinate ascent on all machines at once, from the machine without a candidate. A constant
    feature replaces the bias, so the sign is the only constraint of a dual variable.
    """
    known_labels = np.where(ties, 1.0, -1.0)
    shared = (known @ known.T + 1.0) * np.outer(known_labels, known_labels) + RIDGE * np.eye(
        len(known)
    )
    own = (candidates @ known.T + 1.0) * np.outer(labels, known_labels)
    diagonal = (candidates**2).sum(axis=1) + 1.0 + RIDGE
    start = _solve(shared)
    alpha = np.tile(np.append(start, 0.0), (len(candidates), 1))
    decisions = np.column_stack([np.tile(shared @ start, (len(candidates), 1)), own @ start])
    for _ in range(SWEEPS):
        for i in range(len(known)):
            step = _ascend(alpha, decisions, i, shared[i, i])
            decisions[:, :-1] += step[:, None] * shared[i]
            decisions[:, -1] += step * own[:, i]
        step = _ascend(alpha, decisions, -1, diagonal)
        decisions[:, :-1] += step[:, None] * own
        decisions[:, -1] += step * diagonal
    # At the optimum |w|² is the sum of the dual variables.
    return np.asarray(1.0 / np.sqrt(alpha.sum(axis=1)))


def _solve(gram: Array) -> Array:
    """Solve one dual problem: non-negative least squares on the Cholesky factor of `gram`."""
    from nextpair.selectors.deferred.learners import nnls

    root = np.linalg.cholesky(gram)
    return np.asarray(nnls(root.T, np.linalg.solve(root, np.ones(len(gram))))[0])


def _ascend(alpha: Array, decisions: Array, i: int, curvature: Array | float) -> Array:
    moved = np.maximum(alpha[:, i] + (1.0 - decisions[:, i]) / curvature, 0.0)
    step: Array = moved - alpha[:, i]
    alpha[:, i] = moved
    return step


def tie_probabilities(
    space: Array, first: NDArray[np.intp], second: NDArray[np.intp], ties: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return the tie probabilities of all pairs by a machine with Platt scaling.

    All pairs get the same value if the compared pairs are all ties, or none is.
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
    probabilities = np.empty((size, size), dtype=np.float32)
    for rows, onwards in _blocks(size):
        logit = single[rows, None] + single[None, onwards] + slope * machine.intercept_[0] + offset
        for direction, weight in zip(space.T, of_difference, strict=True):
            logit += weight * np.abs(direction[rows, None] - direction[None, onwards])
        probabilities[rows, onwards] = 1.0 / (1.0 + np.exp(-logit))
        probabilities[onwards, rows] = probabilities[rows, onwards].T
    return probabilities
