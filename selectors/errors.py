"""The errors of the selectors, as one tree.

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
    └── Contradiction            an outcome that the order already excludes

The docstring of a class is its default message. A function that raises one has changed nothing.
"""


class NextpairError(Exception):
    """nextpair cannot do this."""

    def __str__(self) -> str:
        return super().__str__() or (type(self).__doc__ or "").strip()


class BadInput(NextpairError, ValueError):
    """The input is not valid."""


class UnknownDocument(BadInput):
    """The topic has no such document."""


class DuplicateDocument(BadInput):
    """Two documents of a topic have the same id."""


class SelfComparison(BadInput):
    """A document cannot be compared with itself."""


class UnknownOutcome(BadInput):
    """An outcome is better, worse or tie."""


class NegativeCount(BadInput):
    """A count must not be negative."""


class BadFeature(BadInput):
    """A feature must be a finite number, or missing."""


class MismatchedFeatures(BadInput):
    """All documents of a topic must have the same features."""


class UnknownSelector(BadInput):
    """There is no selector of this name."""


class UnknownRating(BadInput):
    """There is no rating of this name."""


class UnknownOption(BadInput):
    """The selector has no such option."""


class BadOption(BadInput):
    """The option's value is not valid."""


class UnknownJudgment(BadInput):
    """The topic has no judgment of this number."""


class OutOfSequence(BadInput):
    """Judgments are numbered in the order in which they are absorbed."""


class Contradiction(NextpairError):
    """The outcome contradicts what is known."""
