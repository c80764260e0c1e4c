"""Wrong and revoked keys, unreachable platforms: hiring pauses with a reason, judging goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import pytest
from in_process import AT, STUDY, InProcess, Json, by_number, installed
from platforms.scenarios import PUBLIC, Scenario
from platforms.session_scenarios import MTurkScenario, ProlificScenario, SlotsScenario
from platforms.task_scenarios import LabelStudioScenario, UnitsScenario

from nextpair.app.hiring.runner import Runner

SCENARIOS: list[type[Scenario]] = [
    MTurkScenario,
    ProlificScenario,
    SlotsScenario,
    UnitsScenario,
    LabelStudioScenario,
]
AWAY = "http://127.0.0.1:9"
ADDRESS = {
    "mturk": {"endpoint": AWAY, "attempts": "1"},
    "prolific": {"api": f"{AWAY}/api/v1"},
    "figure-eight": {"api": f"{AWAY}/v1"},
    "label-studio": {"url": AWAY},
}
KEYS = ("secret_access_key", "token", "key")


class Study:
    """A study that hires, and its runner."""

    def __init__(self, service: InProcess) -> None:
        self.service = service
        self.runner = Runner(service.app.state.service, service.clock)
        self._judged = 0

    def look(self, seconds: float = 15) -> Json:
        """Let the runner tick, and return the status of hiring."""
        self.service.clock.move(seconds)
        self.runner.tick()
        return dict(self.service.get(f"{AT}/hiring"))

    def waits(self, about: Json) -> float:
        """Return in how many seconds the platform is tried again."""
        return datetime.fromisoformat(about["retry_at"]).timestamp() - self.service.clock.now

    def judge_by_link(self) -> None:
        """Let an invited worker answer a question."""
        self._judged += 1
        wanted = {"worker": f"eve{self._judged}"}
        made = self.service.post(f"/v1/studies/{STUDY}/sessions", wanted, status=201)
        token = str(made["url"]).partition("#")[2]
        (one,) = self.service.post("/v1/session/next", {}, bearer=token)["assignments"]
        response = self.service.judge(one, by_number(one), bearer=one["token"])
        assert response.status_code == 201, response.text


@contextmanager
def hiring(scenario: Scenario, url: str, access: dict[str, str]) -> Iterator[Study]:
    given = {scenario.platform.replace("-", "_"): access}
    with installed(url, public_url=PUBLIC, platforms=given) as service:
        # So many that some are left where the platform shows them itself, and keeps those it has.
        scenario.prepare(service, size=12)
        study = Study(service)
        yield study
        study.runner.resign()


@pytest.mark.parametrize("kind", SCENARIOS, ids=lambda kind: kind.__name__)
def test_a_key_that_is_wrong_or_revoked_pauses_hiring_until_someone_begins_again(
    kind: type[Scenario], sqlite_url: str
) -> None:
    with (
        kind.running_platform() as scenario,
        hiring(scenario, sqlite_url, scenario.access()) as study,
    ):
        nothing = scenario.outcome_at_platform()
        scenario.revoke_key()
        _is_paused_until_someone_begins(study, scenario)
        assert scenario.outcome_at_platform() == nothing, "the key was wrong from the beginning"
        scenario.restore_key()
        assert study.service.post(f"{AT}/hiring", {"state": "running"})["message"] == ""
        assert study.look()["state"] == "running"
        published = scenario.outcome_at_platform()
        assert published != nothing
        scenario.revoke_key()
        _is_paused_until_someone_begins(study, scenario)
        scenario.restore_key()
        study.service.post(f"{AT}/hiring", {"state": "running"})
        assert study.look()["state"] == "running"
        assert scenario.outcome_at_platform() == published, "nothing was published twice"


def _is_paused_until_someone_begins(study: Study, scenario: Scenario) -> None:
    about = study.look()
    assert (about["state"], about["retry_at"]) == ("paused", None)
    assert any(word in about["message"] for word in ("401", "UnrecognizedClient"))
    for name in KEYS:
        assert scenario.access().get(name, "(none)") not in str(about)
    assert study.look(10_000) == about, "it waits for someone"
    study.judge_by_link()


@pytest.mark.parametrize("kind", SCENARIOS, ids=lambda kind: kind.__name__)
def test_a_platform_that_is_away_pauses_hiring_and_is_tried_again_by_itself(
    kind: type[Scenario], sqlite_url: str
) -> None:
    with kind.running_platform() as scenario:
        access = {**scenario.access(), **ADDRESS[scenario.platform]}
        with hiring(scenario, sqlite_url, access) as study:
            about = study.look()
            assert about["state"] == "paused"
            assert "cannot be reached" in about["message"]
            assert study.waits(about) == 60
            study.judge_by_link()
            assert study.look(30)["retry_at"] == about["retry_at"], "not at once"
            again = study.look(31)
            assert study.waits(again) == 60
            kinds = [one["kind"] for one in study.service.get(f"{AT}/activity")["items"]]
            assert kinds.count("pause") == 1, "the same is told once"
