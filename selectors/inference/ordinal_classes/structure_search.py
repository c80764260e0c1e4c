"""Structure search: which classes there are, found by comparing log evidence.

Moves on neighbouring classes (create, remove, swap, merge, split) climb to a local optimum. Three
global moves lead out of it: the same search where many workers are suspected to reverse, a restart
from the workers' camps, and merges of distant classes.
"""

import numpy as np

from nextpair.selectors.inference.ordinal_classes.class_splits import best_split
from nextpair.selectors.inference.ordinal_classes.merge_scores import (
    merge_candidates,
    neighbour_merge_gains,
)
from nextpair.selectors.inference.ordinal_classes.posterior import ClassPosterior, DisputedMerge

FOUNDING_PROBABILITY = 0.9
"""The probability of a gap at which a document founds a class there."""
MIN_CLASS_SIZE = 0.3
"""Classes with a smaller expected number of members are removed."""
SETTLING_SWEEPS = 4
"""Sweeps of messages before changed classes are compared with those they came from."""
HOPELESS_GAIN = -50.0
"""A neighbouring move is given up if it gains less log evidence than this while it settles."""
ABANDONED_GAIN = -1_000.0
"""A global move is given up at once if it gains less log evidence than this."""
MIN_MERGE_GAIN = -30.0
"""A merge of neighbours is tried if its score (`merge_scores.py`) is above this."""
SUSPICIOUS_REVERSAL_RATE, SUSPICIOUS_TRIES = 0.1, 6
"""From this rate on, ordinary workers may be several who reverse everything; and the moves that are
tried then."""
RESTART_ANSWERS_PER_WORKER = 8
"""Answers per worker before the workers' camps are informative."""
RESTART_MARGIN = 2.0
"""The log evidence that a restart must gain."""
MAX_DISTANT_MERGES, DISTANT_MERGE_TRIES = 3, 2
"""Distant merges in one search, and the neighbouring moves that are tried after each."""
MIN_DISTANT_MERGE_GAIN = -30.0
"""A distant merge is given up if it gains less log evidence than this before other moves."""
DISPUTED_MARGIN = 8.0
"""An explanation whose log evidence is this close to the best one is asked about."""
MAX_CHANGES = 8
"""The number of changes in one search."""


def search_structure(posterior: ClassPosterior, tries: int) -> ClassPosterior:
    """Return the posterior over the classes with the highest log evidence that was found.

    Creating and removing classes is cheap and always done. With any tries, all other moves are
    tried, too.

    Parameters
    ----------
    tries
        How many times neighbouring classes are swapped, merged or split at most, which takes long.
    """
    posterior = _search_neighbourhood(posterior, tries)
    if tries and posterior.crowd.reversal_rate >= SUSPICIOUS_REVERSAL_RATE:
        posterior = _better(posterior, _suspecting_reversal(posterior)) or posterior
    enough_answers = RESTART_ANSWERS_PER_WORKER * posterior.crowd.size
    if tries and len(posterior.comparisons) >= enough_answers:
        posterior = _better(posterior, _restarted(posterior), RESTART_MARGIN) or posterior
    if tries:
        posterior = _merge_distant_classes(posterior)
    if posterior.reverse_order():
        _sweep(posterior, 1)
    return posterior


def _merge_distant_classes(posterior: ClassPosterior) -> ClassPosterior:
    """Merge classes wherever that raises the log evidence, and note a merge that comes close.

    Documents that reversing workers misplaced form a class of their own in the wrong place, with a
    crowd that seems to err a bit more. No move on neighbours leads out of that.
    """
    posterior.disputed = None
    for _ in range(MAX_DISTANT_MERGES):
        _sweep(posterior, 1)
        best = _best_distant_merge(posterior)
        if best is None:
            break
        merged, gain, disputed = best
        if gain > 0:
            posterior = merged
        if abs(gain) < DISPUTED_MARGIN:
            # A class may be the most likely one of no document: then there is nothing to ask.
            posterior.disputed = disputed if all(map(len, disputed)) else None
            break
    return posterior


def _best_distant_merge(
    posterior: ClassPosterior,
) -> tuple[ClassPosterior, float, DisputedMerge] | None:
    """Return the best posterior after a merge, the log evidence it gains, and the two classes."""
    best: tuple[ClassPosterior, float, DisputedMerge] | None = None
    map_class, log_evidence = posterior.map_class, posterior.log_evidence()
    highest = -DISPUTED_MARGIN
    for source, target in merge_candidates(posterior):
        merged = posterior.copy()
        merged.merge_into(source, target)
        if (
            not _settles(merged, log_evidence)
            or merged.log_evidence() - log_evidence < MIN_DISTANT_MERGE_GAIN
        ):
            continue
        merged.reverse_order()
        merged = _search_neighbourhood(merged, DISTANT_MERGE_TRIES)
        _sweep(merged, SETTLING_SWEEPS)
        gain = merged.log_evidence() - log_evidence
        # If the two classes are separate again and nothing is gained, it is no other explanation.
        founders = [posterior.founders[source], posterior.founders[target]]
        together = np.ptp(merged.map_class[founders]) == 0
        if gain > highest and (gain > 0 or together):
            members = np.flatnonzero(map_class == source), np.flatnonzero(map_class == target)
            best, highest = (merged, gain, members), gain
    return best


def _settles(merged: ClassPosterior, log_evidence: float) -> bool:
    """Run the settling sweeps, unless it is hopeless; return whether they were run."""
    _sweep(merged, 1)
    if merged.log_evidence() - log_evidence < ABANDONED_GAIN:
        return False
    _sweep(merged, SETTLING_SWEEPS - 1)
    return True


def _suspecting_reversal(posterior: ClassPosterior) -> ClassPosterior:
    """Return a search result where many workers are expected to reverse."""
    suspecting = posterior.copy()
    suspecting.crowd.suspect_reversal()
    _sweep(suspecting, SETTLING_SWEEPS)
    return _search_neighbourhood(suspecting, SUSPICIOUS_TRIES)


def _restarted(posterior: ClassPosterior) -> ClassPosterior | None:
    """Return a search result that starts from the workers' camps only; None if it is hopeless."""
    restarted = posterior.restarted()
    for _ in range(SETTLING_SWEEPS):
        _sweep(restarted, 2)
        restarted.reverse_order()
    if restarted.log_evidence() - posterior.log_evidence() < ABANDONED_GAIN:
        return None
    restarted = _search_neighbourhood(restarted, SUSPICIOUS_TRIES)
    _sweep(restarted, SETTLING_SWEEPS)
    return restarted


def _search_neighbourhood(posterior: ClassPosterior, tries: int) -> ClassPosterior:
    """Change classes one move at a time, while the log evidence rises."""
    for _ in range(MAX_CHANGES):
        if _remove_class(posterior) or _create_class(posterior):
            _sweep(posterior, 1)
            continue
        if not tries:
            break
        tries -= 1
        changed = (
            _better(posterior, _with_swap(posterior))
            or _better(posterior, _with_merge(posterior))
            or _better(posterior, _with_split(posterior))
        )
        if changed is None:
            break
        posterior = changed
    return posterior


def _better(
    posterior: ClassPosterior, candidate: ClassPosterior | None, margin: float = 0.0
) -> ClassPosterior | None:
    """Return the candidate if its log evidence is higher once both have settled."""
    if candidate is None:
        return None
    for _ in range(SETTLING_SWEEPS):
        _sweep(posterior, 1)
        _sweep(candidate, 1)
        gain = candidate.log_evidence() - posterior.log_evidence()
        if gain < HOPELESS_GAIN:
            break
    return candidate if gain > margin else None


def _sweep(posterior: ClassPosterior, times: int) -> None:
    for _ in range(times):
        posterior.update_prior()
        posterior.pass_messages()


def _create_class(posterior: ClassPosterior) -> bool:
    """Create a class where a document is almost certainly in a gap; return whether there is one."""
    gaps = posterior.probabilities[:, 0::2]
    document, gap = divmod(int(gaps.argmax()), gaps.shape[1])
    if gaps[document, gap] < FOUNDING_PROBABILITY:
        return False
    posterior.create_class(document, gap)
    return True


def _remove_class(posterior: ClassPosterior) -> bool:
    """Remove the smallest class if it has no members; return whether it had none."""
    if posterior.class_count == 1:
        return False
    sizes = posterior.class_sizes
    smallest = int(sizes.argmin())
    if sizes[smallest] >= MIN_CLASS_SIZE:
        return False
    posterior.remove_class(smallest)
    return True


def _with_swap(posterior: ClassPosterior) -> ClassPosterior | None:
    """Return a posterior with two neighbours swapped, if the answers between them support it.

    Workers are not weighed here: answers of those who seem to reverse may as well be right.
    """
    if posterior.class_count == 1:
        return None
    comparisons = posterior.comparisons
    first = posterior.probabilities[comparisons.first]
    second = posterior.probabilities[comparisons.second]
    upper, lower = slice(1, -2, 2), slice(3, None, 2)
    support = (comparisons.outcome - 1.0) @ (
        first[:, upper] * second[:, lower] - first[:, lower] * second[:, upper]
    )
    number = int(support.argmax())
    if support[number] <= 0:
        return None
    swapped = posterior.copy()
    swapped.swap_with_next(number)
    return swapped


def _with_split(posterior: ClassPosterior) -> ClassPosterior | None:
    """Return a posterior with one class split in two, if there is one that seems to be two."""
    map_place = posterior.probabilities.argmax(axis=1)
    # If some workers see two halves of a class the other way round, they would seem to be one.
    comparisons = posterior.comparisons.reversed_by(posterior.crowd.reversing_workers)
    for number in range(posterior.class_count):
        members = np.flatnonzero(map_place == 2 * number + 1)
        split = best_split(comparisons, members, posterior.size)
        if split is not None and split.gain > 0:
            changed = posterior.copy()
            changed.split_class(number, split.members, split.upper)
            return changed
    return None


def _with_merge(posterior: ClassPosterior) -> ClassPosterior | None:
    """Return a posterior with two neighbours merged, if the answers between them allow it."""
    if posterior.class_count == 1:
        return None
    gains = neighbour_merge_gains(posterior)
    upper = int(gains.argmax())
    if gains[upper] <= MIN_MERGE_GAIN:
        return None
    merged = posterior.copy()
    merged.merge_with_next(upper)
    return merged
