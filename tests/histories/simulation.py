"""The simulation of a study that hires, with its platform, its runners and random events."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest import mock
from urllib.parse import urlencode

import boto3
import httpx
from botocore.httpsession import URLLib3Session
from histories.simulated_platform import BONUS, REWARD, SimulatedPlatform, Visit
from in_process import AT, STUDY, InProcess, Json, by_number
from platforms.crash_replay import Crash, CrashingDatabase, CrashPoint
from platforms.fake_mturk_server import KEY, SECRET
from platforms.hiring_study import set_up
from platforms.scenarios import PUBLIC
from pydantic import SecretStr

from nextpair.app.hiring import management
from nextpair.app.hiring.runner import Runner
from nextpair.app.hiring.validating_account import ValidatingAccount
from nextpair.app.platforms.registry import make_platform, read_access
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.settings import ServiceSettings

_SESSION = boto3.session.Session(KEY, SECRET, region_name="us-east-1")
QUESTIONS = 2
QUALITY = {"batch": 2, "traps": 1, "traps_pass": 1.0}
BUDGETS = (0, 150, 300, 500, 900)
SIZE = 6
CLOCK_ERRORS = (0, 0, 0, -3600, 3600, 86_400)
"""Seconds by which the clocks of runners' machines may be wrong."""


class Simulation:
    """The state of one history."""

    def __init__(
        self, platform: SimulatedPlatform, service: InProcess, url: str, chance: Random
    ) -> None:
        self.platform, self.service, self.chance = platform, service, chance
        self.visits: list[Visit] = []
        self.webhooks: list[tuple[dict[str, str], bytes]] = []
        self.moves = 0
        self._workers = 0
        self.database = CrashingDatabase(url)
        self.database.clock = service.clock
        given = {key: SecretStr(value) for key, value in platform.access().items()}
        self._settings = ServiceSettings(
            database=SecretStr(url),
            public_url=PUBLIC,
            platforms={platform.name.replace("-", "_"): given},
        )
        adapter = make_platform(platform.name, platform.options())
        access = read_access(platform.name, self._settings.platforms)
        # To create a session of Amazon's client takes longer than a history.
        with mock.patch("boto3.session.Session", lambda *_, **__: _SESSION):
            self._account = ValidatingAccount(adapter.open(access), platform.name)
        self.budget = chance.choice(BUDGETS[1:])
        self.floor = 0
        rules = {"questions": QUESTIONS, "reward": REWARD, "bonus": BONUS, "at_once": 3}
        hiring = {**rules, "budget": self.budget, "on_failure": chance.choice(["reject", "pay"])}
        self.rules = hiring
        set_up(
            service,
            SIZE,
            platform=platform.name,
            platform_options=platform.options(),
            quality=QUALITY,
            hiring=hiring,
            lease_seconds=10**6,
        )
        self.hire("running")
        self.runner: Runner | None = None

    def close(self) -> None:
        """Close all connections."""
        self._account.close()
        self.database.close()

    # -- the owner ------------------------------------------------------------------------------

    def hire(self, state: str) -> None:
        """Start, pause or stop hiring."""
        self.service.post(f"{AT}/hiring", {"state": state})

    @property
    def hiring(self) -> Json:
        """The status of hiring."""
        return dict(self.service.get(f"{AT}/hiring"))

    def committed(self) -> tuple[int, int]:
        """Return what was spent or is reserved, and the budget, as the API has them."""
        status = management.hiring_status(self.service.app.state.service, STUDY)
        return status.budget_use.committed, status.study.settings.hiring.budget

    def activity(self) -> list[Json]:
        """The whole activity log."""
        items: list[Json] = []
        after: int | None = 0
        while after is not None:
            page = self.service.get(f"{AT}/activity", after=after)
            items, after = [*items, *page["items"]], page["next"]
        return items

    def change_budget(self) -> None:
        """Raise or lower what may be spent."""
        about = self.hiring
        self.floor = int(about["spent"]) + int(about["reserved"])
        self.budget = self.chance.choice(BUDGETS)
        hiring = {**self.rules, "budget": self.budget}
        if self.budget:
            response = self.service.send("PATCH", AT, {"hiring": hiring})
            assert response.status_code == 200, response.text

    # -- runners --------------------------------------------------------------------------------

    def tick(self, *, crashes: bool = False) -> None:
        """Let a runner tick, which may crash at any step; then another one follows."""
        runner = self.runner = self.runner or self._new_process()
        self.database.crash_point = CrashPoint(self.chance.randint(1, 40) if crashes else None)
        try:
            with self._crashing():
                runner.tick()
        except Crash:
            self._drop_runner()
        finally:
            self.database.crash_point = CrashPoint()

    def replace_runner(self) -> None:
        """Let another process take over, whose clock may be wrong."""
        self._drop_runner()

    def _new_process(self) -> Runner:
        clock, ahead = self.service.clock, self.chance.choice(CLOCK_ERRORS)
        with mock.patch(
            "nextpair.app.runtime.service_context.Database", lambda *_, **__: self.database
        ):
            made = ServiceContext(self._settings, clock)
        self.database.clock = clock
        runner = Runner(made, lambda: clock() + ahead)
        # The process is new, but not its connections: to open them takes long.
        runner._account = lambda study: self._account  # type: ignore[method-assign]
        return runner

    def _drop_runner(self) -> None:
        self.runner = None

    @contextmanager
    def _crashing(self) -> Iterator[None]:
        def crashing(send: Callable[..., Any]) -> Callable[..., Any]:
            def sent(*args: Any, **options: Any) -> Any:
                self.database.crash_point.step()
                answer = send(*args, **options)
                self.database.crash_point.step()
                return answer

            return sent

        with (
            mock.patch.object(httpx.Client, "send", crashing(httpx.Client.send)),
            mock.patch.object(URLLib3Session, "send", crashing(URLLib3Session.send)),
            mock.patch("time.sleep", lambda _: None),
        ):
            yield

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self.service.clock.move(seconds)
        self.platform.pass_time(seconds, self.service.clock.now)

    # -- workers --------------------------------------------------------------------------------

    def active(self) -> list[Visit]:
        """List the visits that have not ended."""
        return [visit for visit in self.visits if not visit.handed_in and not visit.gone]

    def arrive(self) -> None:
        """Let a worker take a place, and come."""
        self._workers += 1
        visit = self.platform.take(f"AW{self._workers}", self.chance.random() < 0.75)
        if visit is None:
            return
        self.visits.append(visit)
        visit.token = self.enter(visit.query) or ""
        assert visit.token, "a worker whom the platform sends is admitted"

    def enter(self, query: Json) -> str | None:
        """Open the study's address with parameters; return the session, if one is given."""
        path = f"/judge/{STUDY}/enter?{urlencode(query)}"
        response = self.service.http.get(path, follow_redirects=False)
        assert response.status_code < 500, response.text
        return str(response.headers["location"].partition("#")[2]) if response.is_redirect else None

    def answer(self, visit: Visit, most: int, *, skip: bool = False) -> bool:
        """Let a worker answer; True if nothing is left for them."""
        for _ in range(most):
            response = self.service.send("POST", "/v1/session/next", {}, bearer=visit.token)
            assert response.status_code in (200, 409), response.text
            assignments = response.json().get("assignments")
            if not assignments:
                return response.status_code == 200
            self._answer(visit, assignments[0], skip=skip)
        return False

    def _answer(self, visit: Visit, question: Json, *, skip: bool) -> None:
        if skip:
            visit.careful = False
            response = self.service.skip(question, bearer=question["token"])
        else:
            truth = by_number(question)
            other = {"left": "right", "right": "left"}[truth]
            answer = truth if visit.honest else other
            response = self.service.judge(question, answer, bearer=question["token"])
        assert response.status_code < 500, response.text
        self.pass_time(1)

    def finish(self, visit: Visit) -> bool:
        """Let a worker end here, as far as the page lets them."""
        response = self.service.send("POST", "/v1/session/finish", {}, bearer=visit.token)
        assert response.status_code in (200, 409), response.text
        if response.status_code == 200:
            visit.finished = response.json()
        return response.status_code == 200

    def hand_in(self, visit: Visit) -> None:
        """Let a worker hand in at the platform."""
        self.platform.hand_in(visit)
        visit.handed_in = True

    def leave(self, visit: Visit) -> None:
        """Let a worker give back, or go away."""
        self.platform.give_back(visit)
        visit.gone = True

    # -- webhooks -------------------------------------------------------------------------------

    def deliver(self, *, all_of_it: bool = False) -> None:
        """Deliver webhooks: late, twice, in any order, or not at all."""
        self.webhooks += self.platform.hooks()
        self.chance.shuffle(self.webhooks)
        if self.platform.name == "mturk":
            return
        where = str(self.hiring["news"]).removeprefix(PUBLIC)
        while self.webhooks:
            headers, body = self.webhooks.pop()
            if all_of_it or self.chance.random() < 0.7:
                for _ in range(self.chance.choice((1, 1, 2))):
                    response = self.service.http.post(where, content=body, headers=headers)
                    assert response.status_code == 200, response.text
