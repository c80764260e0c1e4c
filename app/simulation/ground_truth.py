"""The ground truth of simulated workers: grades, or recorded answers of real workers."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nextpair.app.formats.features import FeatureTable
from nextpair.app.formats.files import BadFile, read_rows
from nextpair.app.formats.trec import Grades
from nextpair.app.simulation.crowd import SimulatedWorker
from nextpair.selectors.errors import BadInput, BadOption
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Outcome, Pair, unordered

OUTCOMES = (Outcome.BETTER, Outcome.WORSE, Outcome.TIE)
SCORES = {Outcome.BETTER: 1.0, Outcome.TIE: 0.5, Outcome.WORSE: 0.0}


class NoRecordedAnswer(BadInput):
    """Nobody was ever asked about this pair."""

    code = "no-recorded-answer"


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A pair as it is shown: the first document is on the left, unless they are swapped."""

    pair: Pair
    swapped: bool = False


@dataclass(frozen=True, slots=True)
class WorkerAnswer:
    """The answer to a pair, and who gave it."""

    outcome: Outcome
    worker: str


class SimulatedJudge(Protocol):
    """Answers the questions of one run on one topic."""

    def answer(
        self, question: ShownPair, worker: SimulatedWorker, rng: np.random.Generator
    ) -> WorkerAnswer:
        """Compare the first document of the pair, on whichever side it is, with the second."""


class GroundTruth(Protocol):
    """The true order of one topic, and the judge of its questions."""

    @property
    def topic(self) -> str: ...
    @property
    def documents(self) -> Sequence[Document]: ...
    @property
    def scores(self) -> NDArray[np.float64]: ...
    def sample(self, chosen: Sequence[int]) -> "GroundTruth":
        """Keep only these documents."""

    def judge(self) -> SimulatedJudge:
        """Return the judge of a new run."""


@dataclass(frozen=True, slots=True)
class GradedTruth:
    """Ground truth from grades: the higher grade is better, equal grades are a tie."""

    topic: str
    documents: Sequence[Document]
    grades: Sequence[int]

    @property
    def scores(self) -> NDArray[np.float64]:
        """The grades."""
        return np.array(self.grades, dtype=np.float64)

    def sample(self, chosen: Sequence[int]) -> "GradedTruth":
        """Keep only these documents."""
        return GradedTruth(
            self.topic,
            [self.documents[place] for place in chosen],
            [self.grades[place] for place in chosen],
        )

    def judge(self) -> "GradedTruth":
        """Return itself: grades need no state between questions."""
        return self

    def answer(
        self, question: ShownPair, worker: SimulatedWorker, rng: np.random.Generator
    ) -> WorkerAnswer:
        """Answer by the grades, with the worker's errors."""
        first, second = (self.grades[place] for place in question.pair)
        truth = Outcome.TIE if first == second else OUTCOMES[first < second]
        outcome = worker.answer(truth, rng, swapped=question.swapped)
        return WorkerAnswer(outcome, worker.id)


@dataclass(frozen=True, slots=True)
class RecordedTruth:
    """Ground truth from recorded answers: each document's mean outcome over all of them."""

    topic: str
    documents: Sequence[Document]
    answers: Mapping[Pair, Sequence[WorkerAnswer]]

    @property
    def scores(self) -> NDArray[np.float64]:
        """Each document's mean outcome, with 1 for a win and one half for a tie."""
        total, count = np.zeros(len(self.documents)), np.zeros(len(self.documents))
        for (first, second), answers in self.answers.items():
            for answer in answers:
                total[first] += answer.outcome.score
                total[second] += 1 - answer.outcome.score
                count[[first, second]] += 1
        middle = np.full(len(total), 0.5)
        mean: NDArray[np.float64] = np.divide(total, count, out=middle, where=count > 0)
        return mean

    def sample(self, chosen: Sequence[int]) -> "RecordedTruth":
        """Keep only these documents."""
        place = {old: new for new, old in enumerate(chosen)}
        answers: dict[Pair, Sequence[WorkerAnswer]] = {}
        for (first, second), recorded in self.answers.items():
            if first in place and second in place:
                add_answers(answers, (place[first], place[second]), recorded)
        return RecordedTruth(self.topic, [self.documents[old] for old in chosen], answers)

    def judge(self) -> "RecordedAnswers":
        """Return a judge that has used no answer yet."""
        return RecordedAnswers(self)


@dataclass(frozen=True, slots=True)
class RecordedAnswers:
    """Draws recorded answers of a pair without replacement, until all have been used."""

    truth: RecordedTruth
    _left: dict[Pair, list[WorkerAnswer]] = field(default_factory=dict)

    def answer(
        self, question: ShownPair, worker: SimulatedWorker, rng: np.random.Generator
    ) -> WorkerAnswer:
        """Draw a recorded answer to this pair, in either orientation."""
        key = unordered(*question.pair)
        left = self._left.get(key)
        if not left:
            left = self._left[key] = list(self._recorded(key))
        drawn = left.pop(int(rng.integers(len(left))))
        return drawn if key == question.pair else WorkerAnswer(drawn.outcome.reversed, drawn.worker)

    def _recorded(self, pair: Pair) -> Sequence[WorkerAnswer]:
        try:
            return self.truth.answers[pair]
        except KeyError:
            first, second = (self.truth.documents[place].id for place in pair)
            raise NoRecordedAnswer(
                f"topic {self.truth.topic!r} has no recorded answer to {first!r} against {second!r}"
            ) from None


def add_answers(
    answers: dict[Pair, Sequence[WorkerAnswer]], pair: Pair, recorded: Iterable[WorkerAnswer]
) -> None:
    """Add answers under the unordered pair, reversed where the pair was."""
    key = unordered(*pair)
    oriented = (
        answer if key == pair else WorkerAnswer(answer.outcome.reversed, answer.worker)
        for answer in recorded
    )
    answers[key] = [*answers.get(key, ()), *oriented]


def graded_truths(grades: Grades, features: FeatureTable) -> list[GradedTruth]:
    """Build one ground truth per topic from grades, with the features of its documents."""
    return [
        GradedTruth(
            topic,
            [Document(document, features.of(topic, document)) for document in of_topic],
            list(of_topic.values()),
        )
        for topic, of_topic in grades.items()
    ]


def recorded_truths(
    path: Path, columns: Sequence[str], answers: Sequence[str]
) -> list[RecordedTruth]:
    """Read recorded answers from a CSV file.

    Parameters
    ----------
    columns
        The names of the columns for topic, first document, second document, worker and answer.
    answers
        The values of the last column for first better, second better, and tie.
    """
    if len(set(columns)) != 5 or len(columns) != 5:
        raise BadOption(f"a replay needs five different columns, got {', '.join(columns)}")
    if len(set(answers)) != 3 or len(answers) != 3:
        raise BadOption(f"a replay needs three different answers, got {', '.join(answers)}")
    meaning = dict(zip(answers, OUTCOMES, strict=True))
    places: dict[str, dict[str, int]] = defaultdict(dict)
    answers_by_topic: dict[str, dict[Pair, Sequence[WorkerAnswer]]] = defaultdict(dict)
    for where, row in read_rows(path, columns):
        topic, first, second, worker, value = (row[column] for column in columns)
        if value not in meaning:
            raise BadFile(f"{where}: {value!r} is none of the answers {', '.join(answers)}")
        if first == second:
            raise BadFile(f"{where}: {first!r} is compared with itself")
        positions = places[topic]
        pair = (
            positions.setdefault(first, len(positions)),
            positions.setdefault(second, len(positions)),
        )
        add_answers(answers_by_topic[topic], pair, [WorkerAnswer(meaning[value], worker)])
    return [
        RecordedTruth(
            topic, [Document(document) for document in positions], answers_by_topic[topic]
        )
        for topic, positions in places.items()
    ]


def generated_truths(
    topics: int, documents: int, grades: Sequence[float], rng: np.random.Generator
) -> list[GradedTruth]:
    """Draw topics whose documents have each grade with a given probability."""
    shares = np.array(grades) / np.sum(grades)
    return [
        GradedTruth(
            f"t{number}",
            [Document(f"t{number}-d{place}") for place in range(1, documents + 1)],
            rng.choice(len(shares), size=documents, p=shares).tolist(),
        )
        for number in range(1, topics + 1)
    ]
