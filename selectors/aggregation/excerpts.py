"""Excerpt matching: the passage of a document that a worker quotes as a rationale.

First an exact search that ignores case and white space. Then an approximate one: each window of as
many words as the excerpt has is scored by the number of words they share, in one pass over the
document, and only the few best windows are compared character by character (Ratcliff and
Obershelp). The best one matches if its similarity reaches `MIN_SIMILARITY`. A script without spaces
has no words to count, so there only the exact search applies.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest

from nextpair.selectors.errors import BadInput, BadOption

NO_TEXT = "no text supports it"
"""What a worker writes if no passage of the document supports the judgment."""
MIN_SIMILARITY = 0.9
MAX_LENGTH = 2000
"""In characters: far beyond two or three sentences, and a bound on the quadratic comparison."""
CANDIDATES = 3
"""Windows that are compared character by character."""


@dataclass(frozen=True, slots=True)
class ExcerptMatch:
    """A passage of a document, `text[start:end]`, and its similarity to the excerpt."""

    start: int
    end: int
    similarity: float

    @property
    def exact(self) -> bool:
        """Whether the passage equals the excerpt up to case and white space."""
        return self.similarity == 1.0


def normalise(text: str) -> str:
    """Fold the case of a text, and its white space to one blank between words.

    >>> normalise("  Two  WORDS ")
    'two words'
    """
    return " ".join(text.casefold().split())


def says_no_text(excerpt: str, phrase: str = NO_TEXT) -> bool:
    """Return whether a worker wrote the fixed phrase, with or without a full stop."""
    return normalise(excerpt).rstrip(".") == normalise(phrase).rstrip(".")


def find_excerpt(
    excerpt: str, text: str, *, min_similarity: float = MIN_SIMILARITY
) -> ExcerptMatch | None:
    """Find the passage of a text that an excerpt quotes; None if none is similar enough.

    Parameters
    ----------
    min_similarity
        The similarity from which a passage matches; 1 admits exact matches only.
    """
    if not 0 < min_similarity <= 1:
        raise BadOption(f"a similarity is above 0 and at most 1, got {min_similarity}")
    pattern = normalise(excerpt)
    if not pattern:
        raise BadInput("an excerpt must not be empty")
    if len(pattern) > MAX_LENGTH:
        raise BadInput(f"an excerpt has at most {MAX_LENGTH:,} characters, got {len(pattern):,}")
    plain, origins = _normalise_with_origins(text)
    start = plain.find(pattern)
    if start >= 0:
        return _match(origins, start, start + len(pattern), 1.0)
    best = max(_score_windows(pattern, plain), default=None)
    if best is None or best[0] < min_similarity or min_similarity == 1:
        return None
    similarity, negative_start, end = best
    return _match(origins, -negative_start, end, similarity)


def _match(origins: list[int], start: int, end: int, similarity: float) -> ExcerptMatch:
    return ExcerptMatch(origins[start], origins[end - 1] + 1, similarity)


def _normalise_with_origins(text: str) -> tuple[str, list[int]]:
    """Normalise a text and record the origin of each character: case folding may lengthen it."""
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


def _score_windows(pattern: str, plain: str) -> Iterator[tuple[float, int, int]]:
    """Yield (similarity, -start, end) of the windows that share most words."""
    words = _word_spans(plain)
    length = len(pattern.split())
    matcher = SequenceMatcher(None, autojunk=False)
    # difflib indexes its second text, so that is the one that stays the same.
    matcher.set_seq2(pattern)
    for shared, place in nlargest(CANDIDATES, _shared_words(pattern.split(), words, plain)):
        if shared:
            start = words[-place][0]
            end = words[min(-place + length, len(words)) - 1][1]
            if end - start > 2 * len(pattern):
                continue
            matcher.set_seq1(plain[start:end])
            yield matcher.ratio(), -start, end


def _word_spans(plain: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for word in plain.split():
        spans.append((start, start + len(word)))
        start += len(word) + 1
    return spans


def _shared_words(
    pattern: list[str], words: list[tuple[int, int]], plain: str
) -> Iterator[tuple[int, int]]:
    """Slide a window over the text; yield its number of shared words and minus its first word."""
    missing, shared = Counter(pattern), 0
    text_words = [plain[start:end] for start, end in words]
    for place, word in enumerate(text_words):
        shared += missing[word] > 0
        missing[word] -= 1
        leaving = place - len(pattern)
        if leaving >= 0:
            missing[text_words[leaving]] += 1
            shared -= missing[text_words[leaving]] > 0
        if leaving >= -1 or place == len(text_words) - 1:
            yield shared, -max(0, leaving + 1)
