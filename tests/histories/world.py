"""A study that hires, its platform, its runners, and all that happens to them, by chance."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest import mock
from urllib.parse import urlencode

import boto3
import httpx
from botocore.httpsession import URLLib3Session
from histories.places import BONUS, REWARD, Place, Visit
from in_process import AT, STUDY, InProcess, Json, by_number
from platforms.hired import set_up
from platforms.mortal import Fate, Killed, MortalDatabase
from platforms.mturk_server import KEY, SECRET
from platforms.scenes import PUBLIC
from pydantic import SecretStr

from nextpair.app.hiring import management
from nextpair.app.hiring.guarded_account import GuardedAccount
from nextpair.app.hiring.runner import Runner
from nextpair.app.platforms.registry import make_platform, read_access
from nextpair.app.runtime.service import Service
from nextpair.app.settings import Settings

_SESSION = boto3.session.Session(KEY, SECRET, region_name="us-east-1")
QUESTIONS = 2
QUALITY = {"batch": 2, "traps": 1, "traps_pass": 1.0}
BUDGETS = (0, 150, 300, 500, 900)
SIZE = 6
AHEAD = (0, 0, 0, -3600, 3600, 86_400)
"""By how much the clocks of runners' machines may be wrong."""


class World:
    """One history, as far as it has come."""

    def __init__(self, place: Place, service: InProcess, url: str, chance: Random) -> None:
        self.place, self.service, self.chance = place, service, chance
        self.visits: list[Visit] = []
        self.mail: list[tuple[dict[str, str], bytes]] = []
        self.moves = 0
        self._workers = 0
        self.database = MortalDatabase(url)
        self.database.clock = service.clock
        given = {key: SecretStr(value) for key, value in place.access().items()}
        self._settings = Settings(
            database=SecretStr(url),
            public_url=PUBLIC,
            platforms={place.name.replace("-", "_"): given},
        )
        platform = make_platform(place.name, place.options())
        access = read_access(place.name, self._settings.platforms)
        # What Amazon's client reads to begin with takes longer than a history.
        with mock.patch("boto3.session.Session", lambda *_, **__: _SESSION):
            self._account = GuardedAccount(platform.open(access), place.name)
        self.budget = chance.choice(BUDGETS[1:])
        self.floor = 0
        rules = {"questions": QUESTIONS, "reward": REWARD, "bonus": BONUS, "at_once": 3}
        hiring = {**rules, "budget": self.budget, "on_failure": chance.choice(["reject", "pay"])}
        self.rules = hiring
        set_up(
            service,
            SIZE,
            platform=place.name,
            platform_options=place.options(),
            quality=QUALITY,
            hiring=hiring,
            lease_seconds=10**6,
        )
        self.hire("running")
        self.runner: Runner | None = None

    def close(self) -> None:
        """Give back all connections."""
        self._account.close()
        self.database.close()

    # -- the owner ------------------------------------------------------------------------------

    def hire(self, state: str) -> None:
        """Start, pause or stop hiring."""
        self.service.post(f"{AT}/hiring", {"state": state})

    @property
    def hiring(self) -> Json:
        """How it stands."""
        return dict(self.service.get(f"{AT}/hiring"))

    def committed(self) -> tuple[int, int]:
        """Return what was spent or is reserved, and the budget, as the API has them."""
        about = management.look(self.service.app.state.service, STUDY)
        return about.money.committed, about.study.settings.hiring.budget

    def activity(self) -> list[Json]:
        """All that was done."""
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

    def look(self, *, dies: bool = False) -> None:
        """Let a runner look, which may die at any step of it; another one follows."""
        runner = self.runner = self.runner or self._process()
        self.database.fate = Fate(self.chance.randint(1, 40) if dies else None)
        try:
            with self._deadly():
                runner.tick()
        except Killed:
            self._leave_runner()
        finally:
            self.database.fate = Fate()

    def replace_runner(self) -> None:
        """Let another process take over, whose clock may be wrong; the one before comes to rest."""
        self._leave_runner()

    def _process(self) -> Runner:
        clock, ahead = self.service.clock, self.chance.choice(AHEAD)
        with mock.patch("nextpair.app.runtime.service.Database", lambda *_, **__: self.database):
            made = Service(self._settings, clock)
        self.database.clock = clock
        runner = Runner(made, lambda: clock() + ahead)
        # A process is new, but not its connections: to open them takes long.
        runner._account = lambda study: self._account  # type: ignore[method-assign]
        return runner

    def _leave_runner(self) -> None:
        self.runner = None

    @contextmanager
    def _deadly(self) -> Iterator[None]:
        def deadly(send: Callable[..., Any]) -> Callable[..., Any]:
            def sent(*given: Any, **more: Any) -> Any:
                self.database.fate.step()
                answer = send(*given, **more)
                self.database.fate.step()
                return answer

            return sent

        with (
            mock.patch.object(httpx.Client, "send", deadly(httpx.Client.send)),
            mock.patch.object(URLLib3Session, "send", deadly(URLLib3Session.send)),
            mock.patch("time.sleep", lambda _: None),
        ):
            yield

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self.service.clock.move(seconds)
        self.place.pass_time(seconds, self.service.clock.now)

    # -- workers --------------------------------------------------------------------------------

    def active(self) -> list[Visit]:
        """List who has a place and has not ended."""
        return [one for one in self.visits if not one.handed_in and not one.gone]

    def arrive(self) -> None:
        """Let a worker take a place, and come."""
        self._workers += 1
        visit = self.place.take(f"AW{self._workers}", self.chance.random() < 0.75)
        if visit is None:
            return
        self.visits.append(visit)
        visit.token = self.enter(visit.query) or ""
        assert visit.token, "whom the platform sends is let in"

    def enter(self, query: Json) -> str | None:
        """Open the study's address with parameters; return the session, if one is given."""
        asked = f"/judge/{STUDY}/enter?{urlencode(query)}"
        response = self.service.http.get(asked, follow_redirects=False)
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

    def _answer(self, visit: Visit, one: Json, *, skip: bool) -> None:
        if skip:
            visit.careful = False
            response = self.service.skip(one, bearer=one["token"])
        else:
            truth = by_number(one)
            other = {"left": "right", "right": "left"}[truth]
            said = truth if visit.honest else other
            response = self.service.judge(one, said, bearer=one["token"])
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
        self.place.hand_in(visit)
        visit.handed_in = True

    def leave(self, visit: Visit) -> None:
        """Let a worker give back, or go away."""
        self.place.give_back(visit)
        visit.gone = True

    # -- webhooks -------------------------------------------------------------------------------

    def deliver(self, *, all_of_it: bool = False) -> None:
        """Deliver webhooks: late, twice, in any order, or not at all."""
        self.mail += self.place.hooks()
        self.chance.shuffle(self.mail)
        if self.place.name == "mturk":
            return
        where = str(self.hiring["news"]).removeprefix(PUBLIC)
        while self.mail:
            headers, body = self.mail.pop()
            if all_of_it or self.chance.random() < 0.7:
                for _ in range(self.chance.choice((1, 1, 2))):
                    response = self.service.http.post(where, content=body, headers=headers)
                    assert response.status_code == 200, response.text
