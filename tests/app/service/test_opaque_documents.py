"""A worker's browser cannot tell a check by a document's id, in nothing that it ever receives."""

import json
import re
from typing import Any

from in_process import AT, ON_TOPIC, STUDY, InProcess, Json, by_number, number_of, refusal

QUALITY = {"batch": 4, "traps": 2, "traps_pass": 1, "quiz": 2, "quiz_pass": 0.5}
OWN = re.compile(r"gold|quiz-|pool-")
"""What the ids of this study's documents begin with, and nothing else in it contains."""


def study(service: InProcess) -> None:
    """Add a study whose ids say which question is a check."""
    settings = {"selector": "uniform", "quality": QUALITY}
    service.post("/v1/studies", {"id": STUDY, **settings}, status=201)
    pool = [{"id": f"pool-{n}", "text": f"text {n}"} for n in range(1, 9)]
    service.post(f"{AT}/topics", {"id": "coffee", "documents": pool}, status=201)
    for name, quiz in (("gold", False), ("quiz", True)):
        documents = [{"id": f"{name}-{n}", "text": f"text {n}"} for n in range(101, 109)]
        pairs = [(f"{name}-{n}", f"{name}-{n + 1}") for n in range(101, 109, 2)]
        golds = [
            {"documents": list(pair), "answer": {"preference": "left"}, "quiz": quiz}
            for pair in pairs
        ]
        service.post(f"{ON_TOPIC}/golds", {"documents": documents, "golds": golds})


class Browser:
    """A worker's page, which keeps all that it is told."""

    def __init__(self, service: InProcess) -> None:
        self._service = service
        opened = service.post(f"{AT}/sessions", {"worker": "ann"}, status=201)
        self.session = str(opened["session"])
        self.told: list[Any] = []

    def call(self, method: str, path: str, bearer: str, body: object = None) -> Any:
        """Make a call, and keep the answer with its headers."""
        response = self._service.send(method, path, body, bearer=bearer)
        self.told += [response.json(), dict(response.headers)]
        return response.json()

    def next(self, count: int = 1) -> list[Json]:
        """Ask for questions."""
        return list(
            self.call("POST", "/v1/session/next", self.session, {"count": count})["assignments"]
        )

    def act(self, asked: Json, what: str, body: Json) -> Json:
        """Do something with a question."""
        path = f"/v1/assignments/{asked['id']}/{what}"
        return dict(self.call("POST", path, asked["token"], body))


def test_nothing_a_browser_receives_has_an_id_of_the_owners(service: InProcess) -> None:
    study(service)
    page = Browser(service)
    page.call("GET", "/v1/session", page.session)
    page.call("POST", "/v1/session/begin", page.session, {})
    for place in range(14):
        asked = page.next()
        if not asked:
            break
        (one,) = asked
        page.call("GET", f"/v1/assignments/{one['id']}", one["token"])
        wrong = {"answer": {"preference": "left"}, "left": "pool-1-or-so"}
        page.act(one, "judgment", wrong)
        page.act(one, "judgment", {"answer": {"preference": "best"}})
        if place == 3:
            page.act(one, "skip", {"reason": "in Finnish"})
            continue
        answer = {"answer": {"preference": by_number(one)}, "left": one["left"]["id"]}
        told = page.act(one, "judgment", answer)
        assert {told["left"], told["right"]} == {one["left"]["id"], one["right"]["id"]}
        if place == 2:
            again = page.act(one, "undo", {})
            page.act(again, "judgment", answer)
        page.act(one, "judgment", {"answer": {"preference": "equal"}})
    purposes = {one["purpose"] for one in service.get(f"{ON_TOPIC}/judgments")["items"]}
    assert purposes == {"work", "trap", "quiz"}
    assert not OWN.findall(json.dumps(page.told).replace("pool-1-or-so", ""))
    page.call("POST", "/v1/session/finish", page.session, {})


def test_a_document_has_one_opaque_id_of_one_form_and_keys_see_its_own(
    service: InProcess,
) -> None:
    study(service)
    page = Browser(service)
    ids: dict[int, set[str]] = {}
    for _ in range(12):
        asked = page.next()
        if not asked:
            break
        (one,) = asked
        for shown in (one["left"], one["right"]):
            assert re.fullmatch(r"d-[0-9a-f]{16}", shown["id"])
            ids.setdefault(number_of(shown), set()).add(shown["id"])
        seen = service.get(f"/v1/assignments/{one['id']}")
        assert OWN.match(seen["left"]["id"])
        assert seen["left"]["text"] == one["left"]["text"]
        page.act(one, "judgment", {"answer": {"preference": by_number(one)}})
    pool = [names for number, names in ids.items() if number <= 8]
    assert pool and all(len(names) == 1 for names in pool)
    own = {one["left"]["id"] for one in service.next("bob", count=2)["assignments"]}
    assert all(map(OWN.match, own))


def test_an_answer_names_the_left_document_either_way_and_no_other(service: InProcess) -> None:
    study(service)
    page = Browser(service)
    by_own, by_pseudonym = page.next(2)
    own = service.get(f"/v1/assignments/{by_own['id']}")["right"]["id"]
    answer = {"preference": "left"}
    page.act(by_own, "judgment", {"answer": answer, "left": own})
    page.act(by_pseudonym, "judgment", {"answer": answer, "left": by_pseudonym["right"]["id"]})
    log = service.get(f"{ON_TOPIC}/judgments")["items"]
    for asked, entry in zip((by_own, by_pseudonym), log, strict=True):
        shown = service.get(f"/v1/assignments/{asked['id']}")
        assert entry["outcome"] == ("better" if entry["first"] == shown["left"]["id"] else "worse")
    other = service.one("bob")
    told = service.judge(other, bearer=other["token"], left=by_own["left"]["id"])
    assert "one of the two" in refusal(told, 422, "bad-answer")["detail"]
