"""Excerpts: where in a document the words are that a worker gives as a reason.

First as they stand, but for case and white space. Then approximately: every run of as many words as
the excerpt has is counted by the words it shares with it, which costs one pass over the document,
and only the few runs that share most are compared by letter (Ratcliff and Obershelp). An excerpt is
found there if the similarity reaches `LEAST`. In a script without spaces there are no words to
count, so an excerpt is found only as it stands.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest

from nextpair.selectors.errors import BadInput, BadOption

NO_TEXT = "no text supports it"
"""What a worker writes where the document's text does not support the judgment."""
LEAST = 0.9
LONGEST = 2000
"""An excerpt is two or three sentences; this is far beyond, and keeps the comparison short."""
CANDIDATES = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A passage of a document, `text[start:end]`, and how similar it is to the excerpt."""

    start: int
    end: int
    similarity: float

    @property
    def exact(self) -> bool:
        """Whether the passage is the excerpt, but for case and white space."""
        return self.similarity == 1.0


def normalise(text: str) -> str:
    """Take case out of a text, and white space but for one blank between words.

    >>> normalise("  Two  WORDS ")
    'two words'
    """
    return " ".join(text.casefold().split())


def says_no_text(excerpt: str, phrase: str = NO_TEXT) -> bool:
    """Say whether a worker wrote the fixed phrase, with or without a full stop."""
    return normalise(excerpt).rstrip(".") == normalise(phrase).rstrip(".")


def find_excerpt(excerpt: str, text: str, *, least: float = LEAST) -> Found | None:
    """Find an excerpt in a text; None if no passage is similar enough.

    Parameters
    ----------
    least
        The similarity from which a passage counts as the excerpt; 1 finds it only as it stands.
    """
    if not 0 < least <= 1:
        raise BadOption(f"a similarity is above 0 and at most 1, got {least}")
    wanted = normalise(excerpt)
    if not wanted:
        raise BadInput("an excerpt must not be empty")
    if len(wanted) > LONGEST:
        raise BadInput(f"an excerpt has at most {LONGEST:,} characters, got {len(wanted):,}")
    plain, origins = _normalise_with_origins(text)
    at = plain.find(wanted)
    if at >= 0:
        return _passage(origins, at, at + len(wanted), 1.0)
    best = max(_similar(wanted, plain), default=None)
    if best is None or best[0] < least or least == 1:
        return None
    similar, start, end = best
    return _passage(origins, -start, end, similar)


def _passage(origins: list[int], start: int, end: int, similar: float) -> Found:
    return Found(origins[start], origins[end - 1] + 1, similar)


def _normalise_with_origins(text: str) -> tuple[str, list[int]]:
    """Normalise a text and keep where each character comes from: case folding may lengthen it."""
    letters: list[str] = []
    origins: list[int] = []
    for place, letter in enumerate(text):
        if not letter.isspace():
            folded = letter.casefold()
        elif letters and letters[-1] != " ":
            folded = " "
        else:
            continue
        letters += folded
        origins += [place] * len(folded)
    if letters and letters[-1] == " ":
        del letters[-1], origins[-1]
    return "".join(letters), origins


def _similar(wanted: str, plain: str) -> Iterator[tuple[float, int, int]]:
    """Compare the passages that share most words; each as (similarity, -start, end)."""
    words = _words(plain)
    length = len(wanted.split())
    matcher = SequenceMatcher(None, autojunk=False)
    # difflib keeps an index of its second text: the one that stays.
    matcher.set_seq2(wanted)
    for shared, place in nlargest(CANDIDATES, _shared_words(wanted.split(), words, plain)):
        if shared:
            start = words[-place][0]
            end = words[min(-place + length, len(words)) - 1][1]
            if end - start > 2 * len(wanted):
                continue
            matcher.set_seq1(plain[start:end])
            yield matcher.ratio(), -start, end


def _words(plain: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for word in plain.split():
        spans.append((start, start + len(word)))
        start += len(word) + 1
    return spans


def _shared_words(
    wanted: list[str], words: list[tuple[int, int]], plain: str
) -> Iterator[tuple[int, int]]:
    """Slide over the text; yield how many wanted words each run has, and minus its first word."""
    missing, shared = Counter(wanted), 0
    run = [plain[start:end] for start, end in words]
    for place, word in enumerate(run):
        shared += missing[word] > 0
        missing[word] -= 1
        leaving = place - len(wanted)
        if leaving >= 0:
            missing[run[leaving]] += 1
            shared -= missing[run[leaving]] > 0
        if leaving >= -1 or place == len(run) - 1:
            yield shared, -max(0, leaving + 1)
