"""Pictures of the dashboard: the example study, judged for a day by a crowd of which one is bad."""

import random
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

from in_process import InProcess, installed

from nextpair.app.demo.example_study import INSTRUCTIONS
from nextpair.app.formats.trec import read_qrels

EXAMPLES = Path(str(files("nextpair.app.examples")))
STUDY, TOPIC = "everyday", "coffee"
WORKERS = {"ann": 0.05, "ben": 0.1, "cho": 0.1, "dee": 0.15, "eli": 0.05, "zed": 0.8}
"""Each worker's share of answers that are a matter of chance."""
HOURS = 20


def judge_for_a_day(url: str, key: str) -> None:
    """Let a crowd judge, on a clock that begins yesterday."""
    with installed(url) as service:
        service.key, service.clock.now = key, time.time() - HOURS * 3600
        settings = {"title": "Everyday questions", "instructions": INSTRUCTIONS, "price": 0.08}
        service.post("/v1/studies", {"id": STUDY, "currency": "EUR", **settings}, status=201)
        _import(service, STUDY)
        _judge(service, {"names": 60, "tyre": 20, "coffee": 32}, HOURS * 3600)
        service.clock.now = time.time() - 3600
        more: dict[str, Any] = {"title": "Graded by experts", "design": "graded"}
        service.post("/v1/studies", {"id": "graded", **more}, status=201)
        _import(service, "graded")
        service.send("PATCH", "/v1/studies/graded", {"status": "paused"})


def _import(service: InProcess, study: str) -> None:
    names = (("topics", "topics.xml"), ("documents", "answers.jsonl"))
    sent = [(kind, (name, (EXAMPLES / name).read_bytes())) for kind, name in names]
    answer = service.send("POST", f"/v1/studies/{study}/imports", files=sent)
    assert answer.status_code == 200, answer.text


def _judge(service: InProcess, wanted: dict[str, int], seconds: float) -> None:
    grades, chance = read_qrels(EXAMPLES / "grades.qrels"), random.Random(7)
    step = seconds / (sum(wanted.values()) + 1)
    for topic, count in wanted.items():
        for turn in range(count):
            worker = list(WORKERS)[turn % len(WORKERS)]
            service.clock.move(step * chance.uniform(0.2, 1.8))
            service.clock.now = min(service.clock.now, time.time())
            for asked in service.next(worker, STUDY, topic=topic)["assignments"]:
                left, right = (
                    grades[topic].get(asked[side]["id"], 0) for side in ("left", "right")
                )
                answer = "equal" if left == right else "left" if left > right else "right"
                if chance.random() < WORKERS[worker]:
                    answer = (
                        "left" if worker == "zed" else chance.choice(("left", "right", "equal"))
                    )
                service.judge(asked, answer, seconds=round(chance.uniform(4, 30), 1))
