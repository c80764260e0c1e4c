"""A study that hires on a fake MTurk, with workers who use its pages."""

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
    """A study that hires, its platform, and its runner."""

    def __init__(self, service: InProcess, fake: Server) -> None:
        self.service = service
        self.fake = fake
        self.mturk: MTurk = fake.mturk
        self.runner = Runner(service.app.state.service, service.clock)

    def tick(self, seconds: float = 15) -> bool:
        """Let some time pass, and the runner tick."""
        self.service.clock.move(seconds)
        return self.runner.tick()

    def start(self) -> Json:
        """Publish."""
        return dict(self.service.post(f"{AT}/hiring", {"state": "running"}))

    @property
    def hiring(self) -> Json:
        """The status of hiring."""
        return dict(self.service.get(f"{AT}/hiring"))

    @property
    def activity(self) -> list[Json]:
        """The activity log."""
        return list(self.service.get(f"{AT}/activity")["items"])

    def done(self, kind: str) -> list[Json]:
        """The done entries of a kind."""
        return [
            entry for entry in self.activity if (entry["kind"], entry["state"]) == (kind, "done")
        ]

    def take(self, worker: str) -> Assignment:
        """Let a worker accept a HIT that has room."""
        for hit in self.mturk.hits.values():
            active = [taken for taken in hit.assignments if taken.status != "Returned"]
            if len(active) < hit.places and hit.expires > self.mturk.now:
                return self.mturk.accept(hit.id, worker)
        raise AssertionError("there are no HITs")

    def enter(self, taken: Assignment) -> str:
        """Let a worker's frame open our page; return its session."""
        hit = self.mturk.hits[taken.hit]
        query = {"assignmentId": taken.id, "hitId": hit.id, "workerId": taken.worker}
        return enter(self.service, hit.url, {**query, "turkSubmitTo": self.fake.url})

    def judge(self, token: str, *, fool: bool = False, most: int = 100) -> int:
        """Let a worker answer correctly, or always wrongly."""
        return judge(self.service, token, fool=fool, most=most)

    def hand_in(self, token: str) -> None:
        """Finish here, and post the form to the platform as the page does."""
        ending = self.service.post("/v1/session/finish", {}, bearer=token)
        assert ending["action"] == f"{self.fake.url}/mturk/externalSubmit"
        fields = dict(ending["fields"])
        self.mturk.submit(fields.pop("assignmentId"), answer_xml(fields))

    def work(self, worker: str, *, fool: bool = False) -> Assignment:
        """Let a worker do all of a HIT."""
        taken = self.take(worker)
        token = self.enter(taken)
        self.judge(token, fool=fool)
        self.hand_in(token)
        return taken


def judge(service: InProcess, token: str, *, fool: bool = False, most: int = 100) -> int:
    """Let a worker answer in a session correctly, or always wrongly."""
    for answered in range(most):
        response = service.post("/v1/session/next", {}, bearer=token)
        if not response["assignments"]:
            return answered
        (question,) = response["assignments"]
        truth = by_number(question)
        answer = {"left": "right", "right": "left"}[truth] if fool else truth
        judged = service.judge(question, answer, bearer=question["token"])
        assert judged.status_code == 201, judged.text
        service.clock.move(1)
    return most


def enter(service: InProcess, url: str, query: Mapping[str, object]) -> str:
    """Let a worker's browser open our page from a platform; return their session."""
    path = f"{urlsplit(url).path}?{urlencode(query)}"
    response = service.http.get(path, follow_redirects=False)
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
    """Run a study that may hire on a fake MTurk."""
    with serving_mturk(MTurk(balance)) as fake:
        settings = {
            "public_url": "https://judge.example.org",
            "platforms": {"mturk": {**fake.access(), **(access or {})}},
            "runner_seconds": 0,
        }
        with installed(url, **settings) as service:
            set_up(service, **study)
            yield HiringStudy(service, fake)
