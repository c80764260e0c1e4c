"""Which classes there are: finding new ones, and giving up those that were none."""

import numpy as np

from nextpair.selectors.inference.ordinal_classes.class_splits import best_split
from nextpair.selectors.inference.ordinal_classes.comparisons import Disputed
from nextpair.selectors.inference.ordinal_classes.merge_scores import joining_gains, layable
from nextpair.selectors.inference.ordinal_classes.posterior import Beliefs

SURE = 0.9
"""How likely a document must be of a class of its own to found one."""
EMPTY = 0.3
"""A class that is expected to have fewer members was none."""
SETTLING = 4
"""Rounds of messages before changed classes are compared with those they came from."""
HOPELESS = -50.0
"""How much worse they may explain the answers meanwhile, as a logarithm, to be let settle."""
LOST = -1_000.0
"""What explains the answers so much worse is lost, however it would settle."""
HINT = -30.0
"""How little the answers between two classes may speak for one, for that to be tried at all."""
OFTEN, SUSPECT_TRIES = 0.1, 6
"""Who sees so many differences the wrong way round may be several who reverse all of them."""
KNOWN = 8
"""Answers per worker before anything can be told from who disagrees with whom."""
MARGIN = 2.0
"""How much better a new start must explain the answers, as a logarithm, to be taken."""
MOST_LAID, LAYING_TRIES = 3, 2
"""How many classes are laid over others at one time, and the tries that each of them has then."""
UNLAID = -30.0
"""How much worse that may explain the answers meanwhile, as a logarithm, to be let settle."""
DISPUTED = 8.0
"""How close the next best explanation must come, as a logarithm, to be asked about."""
MOST_CHANGES = 8
"""At one time."""


def revise(beliefs: Beliefs, tries: int) -> Beliefs:
    """Find and give up classes until nothing is called for, and join and split them.

    Where all workers seem to err too often, the same is done in the belief that some reverse what
    they are asked; and once enough is known of each worker, all is begun anew from who disagrees
    with whom. In any case classes are laid over others in that belief. What explains the answers
    better is kept.

    Parameters
    ----------
    tries
        How many times classes are joined or split at most, which takes long.
    """
    beliefs = _revise(beliefs, tries)
    if tries and beliefs.crowd.reversals >= OFTEN:
        beliefs = _better(beliefs, _suspicious(beliefs)) or beliefs
    if tries and len(beliefs.answers) >= KNOWN * beliefs.crowd.size:
        beliefs = _better(beliefs, _anew(beliefs), MARGIN) or beliefs
    if tries:
        beliefs = _lay(beliefs)
    if beliefs.turn_over():
        _pass_messages(beliefs, 1)
    return beliefs


def _lay(beliefs: Beliefs) -> Beliefs:
    """Lay classes over others, where that explains the answers better, and note what comes close.

    What reversers have misplaced is a class of its own in the wrong place, in which the others seem
    to err a bit more: nothing that is done to neighbours alone leads out of that.
    """
    beliefs.disputed = None
    for _ in range(MOST_LAID):
        _pass_messages(beliefs, 1)
        laid = _best_laid(beliefs)
        if laid is None:
            break
        other, gain, disputed = laid
        if gain > 0:
            beliefs = other
        if abs(gain) < DISPUTED:
            # Nobody may be most likely of a class that several are a little likely of.
            beliefs.disputed = disputed if all(map(len, disputed)) else None
            break
    return beliefs


def _best_laid(beliefs: Beliefs) -> tuple[Beliefs, float, Disputed] | None:
    """Return the best beliefs in which a class is laid over another, with what they gain."""
    best: tuple[Beliefs, float, Disputed] | None = None
    likeliest, support, most = beliefs.likeliest, beliefs.support(), -DISPUTED
    for gone, over in layable(beliefs):
        other = beliefs.twin()
        other.lay(gone, over)
        if not _settled(other, support) or other.support() - support < UNLAID:
            continue
        other.turn_over()
        other = _revise(other, LAYING_TRIES)
        _pass_messages(other, SETTLING)
        gain = other.support() - support
        # What is worse and has the two classes apart again is no other explanation.
        together = np.ptp(other.likeliest[[beliefs.founders[gone], beliefs.founders[over]]]) == 0
        if gain > most and (gain > 0 or together):
            members = np.flatnonzero(likeliest == gone), np.flatnonzero(likeliest == over)
            best, most = (other, gain, members), gain
    return best


def _settled(laid: Beliefs, support: float) -> bool:
    """Let beliefs settle, unless it is hopeless; say whether they have."""
    _pass_messages(laid, 1)
    if laid.support() - support < LOST:
        return False
    _pass_messages(laid, SETTLING - 1)
    return True


def _suspicious(beliefs: Beliefs) -> Beliefs:
    """Return the same beliefs, but that some reverse what they are asked."""
    other = beliefs.twin()
    other.crowd.suspect()
    _pass_messages(other, SETTLING)
    return _revise(other, SUSPECT_TRIES)


def _anew(beliefs: Beliefs) -> Beliefs | None:
    """Return other beliefs that start from which workers disagree, and from nothing else."""
    other = beliefs.anew()
    for _ in range(SETTLING):
        _pass_messages(other, 2)
        other.turn_over()
    if other.support() - beliefs.support() < LOST:
        return None
    other = _revise(other, SUSPECT_TRIES)
    _pass_messages(other, SETTLING)
    return other


def _revise(beliefs: Beliefs, tries: int) -> Beliefs:
    for _ in range(MOST_CHANGES):
        if _give_up(beliefs) or _find(beliefs):
            _pass_messages(beliefs, 1)
            continue
        if not tries:
            break
        tries -= 1
        revised = (
            _better(beliefs, _swapped(beliefs))
            or _better(beliefs, _joined(beliefs))
            or _better(beliefs, _split(beliefs))
        )
        if revised is None:
            break
        beliefs = revised
    return beliefs


def _better(beliefs: Beliefs, other: Beliefs | None, margin: float = 0.0) -> Beliefs | None:
    """Return other beliefs if they explain the answers better, once both have settled."""
    if other is None:
        return None
    for _ in range(SETTLING):
        _pass_messages(beliefs, 1)
        _pass_messages(other, 1)
        gain = other.support() - beliefs.support()
        if gain < HOPELESS:
            break
    return other if gain > margin else None


def _pass_messages(beliefs: Beliefs, times: int) -> None:
    for _ in range(times):
        beliefs.set_prior()
        beliefs.pass_messages()


def _find(beliefs: Beliefs) -> bool:
    gaps = beliefs.beliefs[:, 0::2]
    document, gap = divmod(int(gaps.argmax()), gaps.shape[1])
    if gaps[document, gap] < SURE:
        return False
    beliefs.found(document, gap)
    return True


def _give_up(beliefs: Beliefs) -> bool:
    if beliefs.classes == 1:
        return False
    counts = beliefs.counts
    rarest = int(counts.argmin())
    if counts[rarest] >= EMPTY:
        return False
    beliefs.drop(rarest)
    return True


def _swapped(beliefs: Beliefs) -> Beliefs | None:
    """Return beliefs in which two neighbours change places, if answers rather speak for that.

    Answers that are all of workers who seem to reverse may as well be right.
    """
    if beliefs.classes == 1:
        return None
    answers = beliefs.answers
    one, other = beliefs.beliefs[answers.first], beliefs.beliefs[answers.second]
    upper, lower = slice(1, -2, 2), slice(3, None, 2)
    against = (answers.answer - 1.0) @ (
        one[:, upper] * other[:, lower] - one[:, lower] * other[:, upper]
    )
    place = int(against.argmax())
    if against[place] <= 0:
        return None
    twin = beliefs.twin()
    twin.swap(place)
    return twin


def _split(beliefs: Beliefs) -> Beliefs | None:
    """Return beliefs in which a class has become two, if there is one that seems to be."""
    likeliest = beliefs.beliefs.argmax(axis=1)
    # Halves of a class that some see the other way round would seem to be one.
    answers = beliefs.answers.turned(beliefs.crowd.reversing)
    for whole in range(beliefs.classes):
        members = np.flatnonzero(likeliest == 2 * whole + 1)
        split = best_split(answers, members, beliefs.size)
        if split is not None and split.gain > 0:
            twin = beliefs.twin()
            twin.split(whole, split.members, split.upper)
            return twin
    return None


def _joined(beliefs: Beliefs) -> Beliefs | None:
    """Return beliefs in which two neighbours are one, if the answers between them hint at it."""
    if beliefs.classes == 1:
        return None
    gains = joining_gains(beliefs)
    upper = int(gains.argmax())
    if gains[upper] <= HINT:
        return None
    twin = beliefs.twin()
    twin.join(upper)
    return twin
