"""Scenarios of platforms that show the questions themselves: Figure Eight's units, Label Studio."""

import json
from collections.abc import Iterator
from typing import ClassVar

from in_process import InProcess, Json
from platforms.fake_label_studio import FakeLabelStudio
from platforms.scenarios import NO_CRASH, FakeScenario, FigureEightScenario, finished, post_webhook

WEBHOOK_SECRET = "our-word"


def preferred(data: Json) -> str:
    """Prefer the document of the smaller number."""
    left, right = (int(data[side].rsplit(" ", 1)[1]) for side in ("text_a", "text_b"))
    return "left" if left < right else "right"


class UnitsScenario(FigureEightScenario):
    """Pairs as units of Figure Eight, a page at a time."""

    hiring: ClassVar[Json] = {"questions": 2, "reward": 30, "budget": 2000, "at_once": 2}
    study: ClassVar[Json] = {"quality": {}, "hiring": hiring}
    size: ClassVar[int] = 4

    def run(self, service: InProcess) -> Iterator[str]:
        """Answers come by webhooks, then by a report, then until the end."""
        yield "nothing is published"
        self._answer(service)
        yield "webhooks have reported answers"
        answered = self._answer(None)
        while not self.fake.is_reported(answered[-1]):
            yield NO_CRASH
        yield "a report has answers"
        while not finished(service):
            self._answer(service)
            if not finished(service):
                yield NO_CRASH
        yield "everything is answered"

    def _answer(self, webhooks_to: InProcess | None) -> list[Json]:
        units = self.fake.open_units()
        for unit in units:
            self.fake.judge(unit, {"preference": preferred(unit["data"])})
            if webhooks_to is not None:
                post_webhook(webhooks_to, self.fake.hook(unit))
        return units


class LabelStudioScenario(FakeScenario[FakeLabelStudio]):
    """Pairs as tasks of a project."""

    platform: ClassVar[str] = "label-studio"
    study: ClassVar[Json] = {"quality": {}, "hiring": {"questions": 2, "at_once": 2}}
    size: ClassVar[int] = 4
    secret: ClassVar[str] = "token"

    @classmethod
    def make_fake(cls) -> FakeLabelStudio:
        """Create the fake."""
        return FakeLabelStudio()

    def access(self) -> dict[str, str]:
        """Return the installation's settings of it."""
        return {"url": self.fake.url, "token": self.fake.token, "hook_secret": WEBHOOK_SECRET}

    def run(self, service: InProcess) -> Iterator[str]:
        """Answers come by webhooks, and the rest is read from the project."""
        yield "nothing is published"
        for task in self.fake.open_tasks():
            annotation = self.fake.annotate(task["id"], preferred(task["data"]))
            content = {"action": "ANNOTATION_CREATED", "annotation": annotation, "task": task}
            post_webhook(
                service, json.dumps(content).encode(), {"X-Nextpair-Secret": WEBHOOK_SECRET}
            )
        yield "webhooks have reported answers"
        while not finished(service):
            for task in self.fake.open_tasks():
                self.fake.annotate(task["id"], preferred(task["data"]))
            yield "the project has answers"

    def outcome_at_platform(self) -> Json:
        """Return what exists."""
        fake = self.fake
        tasks = [(task["data"], bool(task["annotations"])) for task in fake.tasks.values()]
        return {
            "projects": len(fake.projects),
            "webhooks": len(fake.webhooks),
            "tasks": sorted((data["nextpair_offer"], answered) for data, answered in tasks),
            "twice": len(tasks) - len({data["nextpair_task"] for data, _ in tasks}),
        }
