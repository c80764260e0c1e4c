"""What leaves the service, for every selector and design, beside what people answered.

Each study is judged by people who never err, over HTTP. Then the same answers are given to the same
documents, imported in another order and under other ids: every file and every ranking must say the
same of the same documents, and agree with the answers.
"""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from in_process import InProcess, Json

from nextpair.selectors.base import selector_names
from nextpair.selectors.state.settings import Lease
from nextpair.selectors.state.single_documents import SingleDocumentState, SingleQuestion
from nextpair.selectors.state.topic_state import Topic

TRUTH = (1, 3, 0, 2, 3, 1, 0, 2)
"""The true level of each document, numbered from 0; several are equal."""
WORKERS = ("ann", "bob", "cho")
LEVELS = (
    "Definitely not relevant",
    "Probably not relevant",
    "Probably relevant",
    "Definitely relevant",
)
RATINGS = ("order", "elo", "elo-variance", "win-share", "bradley-terry")
PAIR_DESIGNS: dict[str, Json] = {
    "preference": {},
    "three-questions": {},
    "rationale": {"on": "preference"},
}
SINGLE_DESIGNS = ("graded", "s100", "magnitude", "rationale", "review")
HALF = 5
"""Answers after which a topic is half judged: some documents have none."""

Said = tuple[str, tuple[int, ...], Json]
"""Who answered a question about which documents, and what."""


@dataclass
class Script:
    """Which documents topics are to ask about, so that answers can be given again.

    Parameters
    ----------
    wanted
        Their numbers; None to let topics choose.
    names
        The id of each document, by its number.
    review
        Whether an answer about the document is to be reviewed.
    """

    wanted: tuple[int, ...] | None = None
    names: Sequence[str] = ()
    review: bool = False

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let topics ask about the wanted documents; all that follows is as ever."""
        of_pairs, of_singles = Topic.select, SingleDocumentState.select

        def pair(topic: Topic, worker: str, leases: Sequence[Lease], *rest: Any) -> Any:
            if self.wanted is None or not worker:
                return of_pairs(topic, worker, leases, *rest)
            return tuple(topic.documents.position(self.names[one]) for one in self.wanted)

        def single(
            topic: SingleDocumentState, worker: str, leases: Sequence[Lease], *rest: Any
        ) -> Any:
            if self.wanted is None or not worker:
                return of_singles(topic, worker, leases, *rest)
            place = topic.documents.position(self.names[self.wanted[0]])
            return SingleQuestion(
                place, next(self.subjects(topic, place), None) if self.review else None
            )

        monkeypatch.setattr(Topic, "select", pair)
        monkeypatch.setattr(SingleDocumentState, "select", single)

    def subjects(self, topic: SingleDocumentState, place: int) -> Iterator[int]:
        """Find the answer about a document that waits for its review."""
        return (number for number in topic._unreviewed() if topic._log[number].document == place)


@dataclass
class Pool:
    """A topic's documents as one import has them.

    Parameters
    ----------
    names
        The id of each document, by its number.
    order
        The numbers in the order of import.
    """

    study: str
    names: Sequence[str]
    order: Sequence[int]
    numbers: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = {name: number for number, name in enumerate(self.names)}

    def create(self, service: InProcess, settings: Json) -> None:
        """Add the study and its topic."""
        service.post("/v1/studies", {"id": self.study, **settings}, status=201)
        documents = [
            {"id": self.names[one], "text": f"This is number {one}.", "prior": float(one)}
            for one in self.order
        ]
        body = {"id": "t", "documents": documents}
        service.post(f"/v1/studies/{self.study}/topics", body, status=201)


def pools(study: str) -> list[Pool]:
    """Return the same documents as imported, the other way round, and under other ids."""
    size = len(TRUTH)
    plain = [f"d{number}" for number in range(size)]
    shuffled = [f"d{(3 * number + 5) % size}" for number in range(size)]
    mixed = [(5 * number + 2) % size for number in range(size)]
    return [
        Pool(f"{study}-as-imported", plain, range(size)),
        Pool(f"{study}-reversed", plain, range(size)[::-1]),
        Pool(f"{study}-shuffled", shuffled, mixed),
    ]


def answer(design: str, asked: Json, pool: Pool) -> Json:
    """Answer as someone who knows the truth."""
    if asked["document"]:
        return single_answer(design, TRUTH[pool.numbers[asked["document"]["id"]]], asked)
    left, right = (TRUTH[pool.numbers[asked[side]["id"]]] for side in ("left", "right"))
    said = "equal" if left == right else "left" if left > right else "right"
    if design == "three-questions":
        relevant = {(0, 0): "none", (1, 0): "left", (0, 1): "right", (1, 1): "both"}
        # It has no ties: of equals the one with the smaller number is preferred.
        numbers = [pool.numbers[asked[side]["id"]] for side in ("left", "right")]
        forced = ("left" if numbers[0] < numbers[1] else "right") if said == "equal" else said
        told: Json = {"preference": forced}
        told |= {"relevant": relevant[min(left, 1), min(right, 1)]}
        return told | {"left_score": left, "right_score": right}
    return {"preference": said} | ({"excerpt": "This is number"} if design == "rationale" else {})


def single_answer(design: str, level: int, asked: Json) -> Json:
    """Answer about one document."""
    if design == "s100":
        return {"score": 30 * level, "moved": True}
    if design == "magnitude":
        return {"magnitude": 2.0**level}
    told = {"grade": LEVELS[level]}
    if design == "review" and asked["kind"] == "review":
        return told | {"why": "It says so."}
    return told if design == "graded" else told | {"excerpt": "This is number"}


def play(service: InProcess, pool: Pool, design: str, most: int) -> list[Said]:
    """Let workers answer by turns, until so many answers are given or nothing is left."""
    given: list[Said] = []
    idle = 0
    while len(given) < most and idle < len(WORKERS):
        worker = WORKERS[(len(given) + idle) % len(WORKERS)]
        found = service.next(worker, pool.study)["assignments"]
        idle = 0 if found else idle + 1
        given += [give(service, pool, design, worker, asked) for asked in found]
    return given


def give(service: InProcess, pool: Pool, design: str, worker: str, asked: Json) -> Said:
    """Answer one question, and say what was said of which documents."""
    said = answer(design, asked, pool)
    told = service.judge(asked, said)
    assert told.status_code == 201, told.text
    shown = [asked[side]["id"] for side in ("left", "right", "document") if asked[side]]
    kind: Json = {"review": asked["kind"] == "review"}
    return worker, tuple(pool.numbers[name] for name in shown), kind


def repeat(
    service: InProcess, pool: Pool, design: str, given: Sequence[Said], script: Script
) -> None:
    """Give the same answers again."""
    for worker, documents, kind in given:
        script.wanted, script.names, script.review = documents, pool.names, kind["review"]
        (asked,) = service.next(worker, pool.study)["assignments"]
        _, again, _ = give(service, pool, design, worker, asked)
        assert set(again) == set(documents)
    script.wanted = None


def grades(service: InProcess, pool: Pool, form: str, **query: Any) -> dict[int, float]:
    """Read an export in a format of TREC: a number for each document in it."""
    told = service.send("GET", f"/v1/studies/{pool.study}/export/{form}", params=query)
    assert told.status_code == 200, told.text
    column = 4 if form == "run" else 3
    lines = [line.split() for line in told.text.splitlines()]
    return {pool.numbers[line[2]]: float(line[column]) for line in lines}


def exported(service: InProcess, pool: Pool, *, single: bool) -> Json:
    """Return all that leaves the service, told of documents by their numbers."""
    at, number = f"/v1/studies/{pool.study}", pool.numbers
    found: Json = {
        form + str(unjudged): grades(service, pool, form, unjudged=unjudged)
        for form in ("qrels", "qrels-real", "run")
        for unjudged in (False, True)
    }
    pairs = service.send("GET", f"{at}/export/pairs").text.splitlines()
    found["pairs"] = {
        (number[one["better"]], number[one["worse"]]): (one["weight"], one["votes"], one["source"])
        for one in map(json.loads, pairs)
    }
    for rating in (None, *(() if single else RATINGS)):
        query = {} if rating is None else {"rating": rating}
        told = service.get(f"{at}/topics/t/ranking", **query)
        found[f"ranking {rating}"] = {
            number[one["document"]]: {**one, "document": None} for one in told["documents"]
        }
        found[f"classes {rating}"] = [sorted(number[one] for one in of) for of in told["classes"]]
    progress = service.get(f"{at}/topics/t/progress")
    # How many more answers there will be depends on what will be asked, which chance decides.
    found["progress"] = {name: told for name, told in progress.items() if name != "forecast"}
    if not single:
        found["explained"] = {
            (one, other): explained(service, pool, one, other)
            for one, other in itertools.combinations(range(len(TRUTH)), 2)
        }
    return found


def explained(service: InProcess, pool: Pool, one: int, other: int) -> tuple[str | None, float]:
    """Ask how two documents compare."""
    names = {"first": pool.names[one], "second": pool.names[other]}
    told = service.get(f"/v1/studies/{pool.study}/topics/t/explain", **names)
    return told["relation"], told["chance"]


def check_truth(found: Json, judged: set[int]) -> None:
    """Check that nothing says the opposite of what people said, who never erred."""
    for form in ("qrels", "qrels-real", "run"):
        numbers = found[form + "False"]
        assert set(numbers) == judged, "exactly the judged documents are graded"
        assert set(found[form + "True"]) == set(range(len(TRUTH)))
        assert not reversed_pairs(numbers, found["known"]), form
    for name, told in found.items():
        if name.startswith("ranking"):
            scores = {one: of["score"] for one, of in told.items() if of["score"] is not None}
            assert set(scores) == judged, "exactly the judged documents have scores"
            own = name in ("ranking None", "ranking order")
            assert not (own and reversed_pairs(scores, found["known"])), name
            assert all(
                (of["status"] == "unjudged") == (one not in judged) for one, of in told.items()
            )
    better = found["known"]
    assert not [pair for pair in found["pairs"] if pair[::-1] in better]
    for pair, (relation, chance) in found.get("explained", {}).items():
        assert relation != "better" or (pair[::-1] not in better and chance > 0.5), pair
        assert relation != "worse" or (pair not in better and chance < 0.5), pair
        placed = [found["ranking None"][one]["score"] for one in pair]
        if None not in placed:
            # The reported order and the chance come from the same model.
            assert (placed[0] - placed[1]) * (chance - 0.5) >= 0, (pair, placed, chance)
    figures = found["progress"]
    of_all = figures["judged_pairs"] + figures["inferred_pairs"] + figures["unknown_pairs"]
    assert of_all == len(TRUTH) * (len(TRUTH) - 1) // 2


def reversed_pairs(numbers: Mapping[int, float], known: set[tuple[int, int]]) -> list[Any]:
    """List the pairs that answers order and numbers order the other way round."""
    return [
        (better, worse)
        for better, worse in known
        if better in numbers and worse in numbers and numbers[better] < numbers[worse]
    ]


def known_pairs(given: Sequence[Said], design: str) -> set[tuple[int, int]]:
    """Say which pairs the answers order: those compared, and singles on the same scale."""
    scales: dict[str, set[int]] = {}
    for worker, documents, _ in given:
        if len(documents) == 1:
            # A magnitude means something beside other magnitudes of the same worker only.
            scales.setdefault(worker if design == "magnitude" else "", set()).update(documents)
    pairs = [documents for _, documents, _ in given if len(documents) == 2]
    for singles in scales.values():
        pairs += list(itertools.combinations(sorted(singles), 2))
    return {
        pair if TRUTH[pair[0]] > TRUTH[pair[1]] else pair[::-1]
        for pair in map(partial(tuple[int, int]), pairs)
        if TRUTH[pair[0]] != TRUTH[pair[1]]
    }


def check_same(one: Any, other: Any, where: str = "") -> None:
    """Check that two results are the same, but for sums in another sequence."""
    if isinstance(one, float) and isinstance(other, int | float):
        assert other == pytest.approx(one, rel=1e-5, abs=1e-6), where
    elif isinstance(one, Mapping):
        assert one.keys() == other.keys(), where
        for key in one:
            check_same(one[key], other[key], f"{where} {key}")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            check_same(left, right, f"{where} {place}")
    else:
        assert one == other, where


@contextmanager
def stage(service: InProcess, name: str, found: dict[str, Json]) -> Iterator[None]:
    """Name a stage in what goes wrong in it."""
    try:
        yield
    except AssertionError as error:
        error.add_note(f"stage: {name}")
        raise


def go_through(
    service: InProcess, settings: Json, design: str, single: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Play a study in three imports, and look at what leaves the service at every stage."""
    script = Script()
    script.install(monkeypatch)
    first, *others = pools("study")
    for pool in (first, *others):
        pool.create(service, settings)
    given: list[Said] = []
    done = 0
    for name, most in (("nothing judged", 0), ("half judged", HALF), ("finished", 1000)):
        given += play(service, first, design, most)
        wanted = exported(service, first, single=single)
        with stage(service, name, wanted):
            judged = {one for _, documents, _ in given for one in documents}
            check_truth(wanted | {"known": known_pairs(given, design)}, judged)
            for pool in others:
                repeat(service, pool, design, given[done:], script)
                check_same(wanted, exported(service, pool, single=single), pool.study)
        done = len(given)


@pytest.mark.parametrize("design", PAIR_DESIGNS)
@pytest.mark.parametrize("selector", selector_names())
def test_a_study_of_pairs_says_what_people_answered(
    light: InProcess, selector: str, design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"design": design, "design_options": PAIR_DESIGNS[design], "selector": selector}
    go_through(light, settings, design, False, monkeypatch)


@pytest.mark.parametrize("selector", ["placement", "information-gain"])
def test_a_study_stopped_by_its_budget_says_what_people_answered(
    light: InProcess, selector: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"selector": selector, "options": {"budget": 1.0}}
    go_through(light, settings, "preference", False, monkeypatch)
    for pool in pools("study"):
        told = light.get(f"/v1/studies/{pool.study}/topics/t/progress")
        assert (told["judgments"], told["ended"]) == (len(TRUTH), "budget")


@pytest.mark.parametrize("design", SINGLE_DESIGNS)
def test_a_study_of_single_documents_says_what_people_answered(
    light: InProcess, design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_through(light, {"design": design}, design, True, monkeypatch)


@pytest.mark.parametrize("design", ["graded", "rationale", "review", "s100"])
def test_the_same_level_is_the_same_grade_in_every_topic(light: InProcess, design: str) -> None:
    light.post("/v1/studies", {"id": "levels", "design": design}, status=201)
    topics = {"all": (0, 1, 2, 3), "good": (2, 3), "only-bad": (0,), "only-good": (3, 3)}
    for topic, levels in topics.items():
        documents = [
            {"id": f"{topic}-{place}", "text": "This is number 1."} for place in range(len(levels))
        ]
        light.post("/v1/studies/levels/topics", {"id": topic, "documents": documents}, status=201)
    for worker in itertools.cycle(("ann", "bob")):
        found = light.next(worker, "levels")["assignments"]
        if not found and not light.next("cho", "levels")["assignments"]:
            break
        for asked in found:
            topic, place = asked["document"]["id"].rsplit("-", 1)
            said = single_answer(design, topics[topic][int(place)], asked)
            assert light.judge(asked, said).status_code == 201
    lines = light.send("GET", "/v1/studies/levels/export/qrels").text.splitlines()
    for topic, _, document, grade in map(str.split, lines):
        level = topics[topic][int(document.rsplit("-", 1)[1])]
        assert int(grade) == level, document
    assert len(lines) == sum(map(len, topics.values()))
