"""The tree of all errors, and those that the selectors raise.

    NextpairError
    ├── BadInput                 the caller sent invalid input
    │   ├── UnknownDocument
    │   ├── DuplicateDocument
    │   ├── SelfComparison
    │   ├── UnknownOutcome
    │   ├── NegativeCount
    │   ├── BadFeature
    │   ├── MismatchedFeatures
    │   ├── UnknownSelector
    │   ├── UnknownRating
    │   ├── UnknownOption
    │   ├── BadOption
    │   ├── UnknownJudgment
    │   └── OutOfSequence
    ├── Contradiction            an outcome that the order already excludes
    ├── StorageError             the database: `storage/errors.py`
    ├── ServiceError             the service: `app/errors.py`
    └── Refused, Unreachable     what the calls of a client raise: `app/client/connection.py`

The docstring of a class is its default message. A function that raises one has changed nothing.
The `code` is written out, so that a class can be renamed without changing the interface.
"""

from typing import ClassVar


class NextpairError(Exception):
    """nextpair cannot do this."""

    code: ClassVar[str] = "nextpair-error"
    """The public name of this kind of error: `urn:nextpair:CODE` in a problem document."""

    def __str__(self) -> str:
        return super().__str__() or (type(self).__doc__ or "").strip()


class BadInput(NextpairError, ValueError):
    """The input is not valid."""

    code = "bad-input"


class UnknownDocument(BadInput):
    """The topic has no such document."""

    code = "unknown-document"


class DuplicateDocument(BadInput):
    """Two documents of a topic have the same id."""

    code = "duplicate-document"


class SelfComparison(BadInput):
    """A document cannot be compared with itself."""

    code = "self-comparison"


class UnknownOutcome(BadInput):
    """An outcome is better, worse or tie."""

    code = "unknown-outcome"


class NegativeCount(BadInput):
    """A count must not be negative."""

    code = "negative-count"


class BadFeature(BadInput):
    """A feature must be a finite number, or missing."""

    code = "bad-feature"


class MismatchedFeatures(BadInput):
    """All documents of a topic must have the same features."""

    code = "mismatched-features"


class UnknownSelector(BadInput):
    """There is no selector of this name."""

    code = "unknown-selector"


class UnknownRating(BadInput):
    """There is no rating of this name."""

    code = "unknown-rating"


class UnknownOption(BadInput):
    """The selector has no such option."""

    code = "unknown-option"


class BadOption(BadInput):
    """The option's value is not valid."""

    code = "bad-option"


class UnknownJudgment(BadInput):
    """The topic has no judgment of this number."""

    code = "unknown-judgment"


class OutOfSequence(BadInput):
    """Judgments are numbered in the order in which they are absorbed."""

    code = "out-of-sequence"


class Contradiction(NextpairError):
    """The outcome contradicts what is known."""

    code = "contradiction"
