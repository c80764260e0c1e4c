"""A service that hires at a fake MTurk, with workers who come through its door."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode, urlsplit

from in_process import InProcess, Json, by_number, installed
from platforms.fake_mturk import MTurk
from platforms.fake_mturk_model import Assignment
from platforms.fake_mturk_server import Server, answer_xml
from platforms.fake_mturk_server import serving as serving_mturk

from nextpair.app.hiring.runner import Runner

STUDY, TOPIC = "answers", "coffee"
AT = f"/v1/studies/{STUDY}"
GOOD, BAD = "d9001", "d9002"
HIRING = {
    "questions": 4,
    "reward": 50,
    "bonus": 10,
    "budget": 1000,
    "at_once": 3,
    "on_failure": "reject",
}
QUALITY = {"batch": 4, "traps": 1, "traps_pass": 1.0}


class HiringStudy:
    """A study that hires, the platform, and the runner that looks after both."""

    def __init__(self, service: InProcess, fake: Server) -> None:
        self.service = service
        self.fake = fake
        self.mturk: MTurk = fake.mturk
        self.runner = Runner(service.app.state.service, service.clock)

    def tick(self, seconds: float = 15) -> bool:
        """Let some time pass, and the runner look."""
        self.service.clock.move(seconds)
        return self.runner.tick()

    def start(self) -> Json:
        """Publish."""
        return dict(self.service.post(f"{AT}/hiring", {"state": "running"}))

    @property
    def hiring(self) -> Json:
        """How it stands."""
        return dict(self.service.get(f"{AT}/hiring"))

    @property
    def activity(self) -> list[Json]:
        """What was done."""
        return list(self.service.get(f"{AT}/activity")["items"])

    def done(self, kind: str) -> list[Json]:
        """What was done of a kind."""
        return [one for one in self.activity if (one["kind"], one["state"]) == (kind, "done")]

    def take(self, worker: str) -> Assignment:
        """Let a worker accept a HIT that has room."""
        for hit in self.mturk.hits.values():
            active = [one for one in hit.assignments if one.status != "Returned"]
            if len(active) < hit.places and hit.expires > self.mturk.now:
                return self.mturk.accept(hit.id, worker)
        raise AssertionError("there are no HITs")

    def enter(self, one: Assignment) -> str:
        """Let a worker's frame open our page; return its session."""
        hit = self.mturk.hits[one.hit]
        query = {"assignmentId": one.id, "hitId": hit.id, "workerId": one.worker}
        return enter(self.service, hit.url, {**query, "turkSubmitTo": self.fake.url})

    def judge(self, token: str, *, fool: bool = False, most: int = 100) -> int:
        """Let a worker answer: truly, or the contrary of the truth."""
        return judge(self.service, token, fool=fool, most=most)

    def hand_in(self, token: str) -> None:
        """Finish here, and post the form to the platform as the page does."""
        told = self.service.post("/v1/session/finish", {}, bearer=token)
        assert told["action"] == f"{self.fake.url}/mturk/externalSubmit"
        fields = dict(told["fields"])
        self.mturk.submit(fields.pop("assignmentId"), answer_xml(fields))

    def work(self, worker: str, *, fool: bool = False) -> Assignment:
        """Let a worker do all of a HIT."""
        one = self.take(worker)
        token = self.enter(one)
        self.judge(token, fool=fool)
        self.hand_in(token)
        return one


def judge(service: InProcess, token: str, *, fool: bool = False, most: int = 100) -> int:
    """Let a worker answer in a session: truly, or the contrary of the truth."""
    for answered in range(most):
        got = service.post("/v1/session/next", {}, bearer=token)
        if not got["assignments"]:
            return answered
        (one,) = got["assignments"]
        truth = by_number(one)
        said = {"left": "right", "right": "left"}[truth] if fool else truth
        response = service.judge(one, said, bearer=one["token"])
        assert response.status_code == 201, response.text
        service.clock.move(1)
    return most


def enter(service: InProcess, url: str, query: Mapping[str, object]) -> str:
    """Let a worker's browser open our page from a platform; return their session."""
    asked = f"{urlsplit(url).path}?{urlencode(query)}"
    response = service.http.get(asked, follow_redirects=False)
    assert response.status_code == 303, response.text
    return str(response.headers["location"].partition("#")[2])


def set_up(service: InProcess, size: int = 8, **study: Any) -> None:
    """Add a study with traps that hires, at MTurk unless another platform is named."""
    settings = {"hiring": HIRING, "quality": QUALITY, "platform": "mturk", **study}
    service.make_study(STUDY, **settings)
    service.make_topic(size, TOPIC, STUDY)
    traps = [(f"{GOOD}{n}", f"{BAD}{n}") for n in range(6)]
    documents = [{"id": name, "text": name} for pair in traps for name in pair]
    golds = [{"documents": list(pair), "answer": {"preference": "left"}} for pair in traps]
    service.post(f"{AT}/topics/{TOPIC}/golds", {"documents": documents, "golds": golds})


@contextmanager
def hiring_study(
    url: str, *, balance: int = 10_000, access: Mapping[str, str] | None = None, **study: Any
) -> Iterator[HiringStudy]:
    """Yield a service that may hire at a fake MTurk."""
    with serving_mturk(MTurk(balance)) as fake:
        settings = {
            "public_url": "https://judge.example.org",
            "platforms": {"mturk": {**fake.access(), **(access or {})}},
            "runner_seconds": 0,
        }
        with installed(url, **settings) as service:
            set_up(service, **study)
            yield HiringStudy(service, fake)
