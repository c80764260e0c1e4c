"""What simulated workers know: grades, or the answers real workers once gave."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nextpair.app.formats.features import FeatureTable
from nextpair.app.formats.files import BadFile, rows
from nextpair.app.formats.trec import Grades
from nextpair.app.simulation.crowd import SimulatedWorker
from nextpair.selectors.errors import BadInput, BadOption
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Outcome, Pair, unordered

MEANINGS = (Outcome.BETTER, Outcome.WORSE, Outcome.TIE)


class NoRecordedAnswer(BadInput):
    """Nobody was ever asked about this pair."""

    code = "no-recorded-answer"


@dataclass(frozen=True, slots=True)
class Question:
    """A pair as a worker sees it: the first document is on the left, unless they are swapped."""

    pair: Pair
    swapped: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a question, and from whom."""

    outcome: Outcome
    worker: str


class Judge(Protocol):
    """Answers the questions of one run over one topic."""

    def answer(
        self, question: Question, worker: SimulatedWorker, rng: np.random.Generator
    ) -> Answer:
        """Say how the first document of the pair, on whichever side, compares with the second."""


class Truth(Protocol):
    """What is true of one topic, and who answers for it."""

    @property
    def topic(self) -> str: ...
    @property
    def documents(self) -> Sequence[Document]: ...
    @property
    def scores(self) -> NDArray[np.float64]: ...
    def sample(self, chosen: Sequence[int]) -> "Truth":
        """Keep only these documents."""

    def judge(self) -> Judge:
        """Begin a run."""


@dataclass(frozen=True, slots=True)
class Graded:
    """Grades decide: the higher grade is better, equal grades are a tie."""

    topic: str
    documents: Sequence[Document]
    grades: Sequence[int]

    @property
    def scores(self) -> NDArray[np.float64]:
        """The grades."""
        return np.array(self.grades, dtype=np.float64)

    def sample(self, chosen: Sequence[int]) -> "Graded":
        """Keep only these documents."""
        return Graded(
            self.topic,
            [self.documents[place] for place in chosen],
            [self.grades[place] for place in chosen],
        )

    def judge(self) -> "Graded":
        """Grades need nothing kept between questions."""
        return self

    def answer(
        self, question: Question, worker: SimulatedWorker, rng: np.random.Generator
    ) -> Answer:
        """Answer as a worker who sees the grades, as far as they do not err."""
        first, second = (self.grades[place] for place in question.pair)
        truth = Outcome.TIE if first == second else MEANINGS[first < second]
        outcome = worker.answer(truth, rng, swapped=question.swapped)
        return Answer(outcome, worker.id)


@dataclass(frozen=True, slots=True)
class Recorded:
    """Real answers decide; the truth is each document's mean outcome over all of them."""

    topic: str
    documents: Sequence[Document]
    answers: Mapping[Pair, Sequence[Answer]]

    @property
    def scores(self) -> NDArray[np.float64]:
        """Each document's mean outcome, a win counting 1 and a tie one half."""
        total, count = np.zeros(len(self.documents)), np.zeros(len(self.documents))
        for (first, second), answers in self.answers.items():
            for answer in answers:
                total[first] += answer.outcome.score
                total[second] += 1 - answer.outcome.score
                count[[first, second]] += 1
        middle = np.full(len(total), 0.5)
        mean: NDArray[np.float64] = np.divide(total, count, out=middle, where=count > 0)
        return mean

    def sample(self, chosen: Sequence[int]) -> "Recorded":
        """Keep only these documents."""
        place = {old: new for new, old in enumerate(chosen)}
        answers: dict[Pair, Sequence[Answer]] = {}
        for (first, second), given in self.answers.items():
            if first in place and second in place:
                add_answers(answers, (place[first], place[second]), given)
        return Recorded(self.topic, [self.documents[old] for old in chosen], answers)

    def judge(self) -> "Replay":
        """Begin with no answer used."""
        return Replay(self)


@dataclass(frozen=True, slots=True)
class Replay:
    """Hands out recorded answers, each once before any is used again."""

    truth: Recorded
    _left: dict[Pair, list[Answer]] = field(default_factory=dict)

    def answer(
        self, question: Question, worker: SimulatedWorker, rng: np.random.Generator
    ) -> Answer:
        """Draw one of the answers real workers gave to this pair, on whichever side it was."""
        key = unordered(*question.pair)
        left = self._left.get(key)
        if not left:
            left = self._left[key] = list(self._recorded(key))
        drawn = left.pop(int(rng.integers(len(left))))
        return drawn if key == question.pair else Answer(drawn.outcome.reversed, drawn.worker)

    def _recorded(self, pair: Pair) -> Sequence[Answer]:
        try:
            return self.truth.answers[pair]
        except KeyError:
            first, second = (self.truth.documents[place].id for place in pair)
            raise NoRecordedAnswer(
                f"topic {self.truth.topic!r} has no recorded answer to {first!r} against {second!r}"
            ) from None


def add_answers(answers: dict[Pair, Sequence[Answer]], pair: Pair, given: Iterable[Answer]) -> None:
    """File answers under the unordered pair, turned round where its sides were."""
    key = unordered(*pair)
    turned = (
        answer if key == pair else Answer(answer.outcome.reversed, answer.worker)
        for answer in given
    )
    answers[key] = [*answers.get(key, ()), *turned]


def graded_truths(grades: Grades, features: FeatureTable) -> list[Graded]:
    """Build one truth per topic from grades, with the features of its documents."""
    return [
        Graded(
            topic,
            [Document(document, features.of(topic, document)) for document in of_topic],
            list(of_topic.values()),
        )
        for topic, of_topic in grades.items()
    ]


def recorded_truths(path: Path, columns: Sequence[str], answers: Sequence[str]) -> list[Recorded]:
    """Read recorded answers from a CSV file.

    Parameters
    ----------
    columns
        The names of the columns for topic, first document, second document, worker and answer.
    answers
        What that last column says for first better, second better, and tie.
    """
    if len(set(columns)) != 5 or len(columns) != 5:
        raise BadOption(f"a replay needs five different columns, got {', '.join(columns)}")
    if len(set(answers)) != 3 or len(answers) != 3:
        raise BadOption(f"a replay needs three different answers, got {', '.join(answers)}")
    meaning = dict(zip(answers, MEANINGS, strict=True))
    places: dict[str, dict[str, int]] = defaultdict(dict)
    given: dict[str, dict[Pair, Sequence[Answer]]] = defaultdict(dict)
    for where, row in rows(path, columns):
        topic, first, second, worker, value = (row[column] for column in columns)
        if value not in meaning:
            raise BadFile(f"{where}: {value!r} is none of the answers {', '.join(answers)}")
        if first == second:
            raise BadFile(f"{where}: {first!r} is compared with itself")
        known = places[topic]
        pair = known.setdefault(first, len(known)), known.setdefault(second, len(known))
        add_answers(given[topic], pair, [Answer(meaning[value], worker)])
    return [
        Recorded(topic, [Document(document) for document in known], given[topic])
        for topic, known in places.items()
    ]


def generated_truths(
    topics: int, documents: int, grades: Sequence[float], rng: np.random.Generator
) -> list[Graded]:
    """Draw topics whose documents have each grade with the given share."""
    shares = np.array(grades) / np.sum(grades)
    return [
        Graded(
            f"t{number}",
            [Document(f"t{number}-d{place}") for place in range(1, documents + 1)],
            rng.choice(len(shares), size=documents, p=shares).tolist(),
        )
        for number in range(1, topics + 1)
    ]
