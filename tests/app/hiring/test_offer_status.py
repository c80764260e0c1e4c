"""The status of offers: they expire by themselves, or a person ends them at the platform."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from in_process import InProcess, Json, installed
from platforms.fake_mturk_model import Assignment
from platforms.hiring_study import AT, HIRING, HiringStudy, enter, hiring_study, judge, set_up
from platforms.scenarios import ENTRANCE, PUBLIC, Scenario
from platforms.session_scenarios import ProlificScenario, SlotsScenario
from platforms.task_scenarios import UnitsScenario

from nextpair.app.hiring.runner import Runner

HOUR = 3600.0


@pytest.fixture
def one(sqlite_url: str) -> Iterator[HiringStudy]:
    """A study that hires three at once at MTurk, with a HIT that can be taken for three days."""
    with hiring_study(sqlite_url, quality={}) as made:
        made.start()
        made.tick()
        yield made


def pass_time(one: HiringStudy, seconds: float) -> None:
    """Let time pass here and at MTurk, and the runner tick."""
    one.mturk.now += seconds
    one.tick(seconds)


def abandon(one: HiringStudy, taken: Assignment) -> None:
    """Let MTurk take a HIT back from a worker who took too long; nobody is told without a queue."""
    one.mturk.give_back(taken)


def test_a_hit_that_ran_out_costs_nothing_more_and_another_takes_its_place(
    one: HiringStudy,
) -> None:
    one.work("AGOOD")
    one.tick()
    (first,) = one.mturk.hits
    pass_time(one, 72 * HOUR + 60)
    second = one.mturk.hits[list(one.mturk.hits)[-1]]
    assert (len(one.mturk.hits), second.places) == (2, 3)
    about = one.hiring
    assert (about["state"], about["message"]) == ("running", "")
    assert about["offers"] == {"expired": 1, "open": 1}
    assert (about["spent"], about["reserved"]) == (72, 3 * 72)
    (ended,) = one.done("end")
    assert ended["offer"] == first and "ran out" in ended["message"]
    one.work("ABETTER")
    one.tick()
    assert one.hiring["spent"] == one.mturk.spent == 144


def test_whoever_works_while_a_hit_runs_out_is_paid_and_reserved_for(one: HiringStudy) -> None:
    pass_time(one, 72 * HOUR - 600)
    taken, gone = one.take("ASLOW"), one.take("AGONE")
    token = one.enter(taken)
    one.judge(token, most=2)
    one.enter(gone)
    budget = HIRING["budget"]
    one.service.send("PATCH", AT, {"hiring": {**HIRING, "budget": 2 * 72 + 10}})
    pass_time(one, 700)
    assert one.hiring["offers"] == {"expired": 1}, "what is left is not enough for another"
    assert one.hiring["reserved"] == 2 * 72, "MTurk says that two are at work"
    one.judge(token)
    one.hand_in(token)
    abandon(one, gone)
    one.tick()
    assert taken.status == "Approved"
    assert one.hiring["submissions"] == {"accepted": 1, "lapsed": 1}
    assert (one.hiring["spent"], one.hiring["reserved"]) == (72, 72), "for a place that is offered"
    one.service.send("PATCH", AT, {"hiring": {**HIRING, "budget": budget}})
    one.tick()
    assert one.hiring["spent"] + one.hiring["reserved"] <= budget
    log = one.service.get(f"{AT}/topics/coffee/judgments")["items"]
    assert [entry["worker"] for entry in log] == ["ASLOW"] * 4


def test_what_a_worker_holds_who_never_hands_in_is_asked_of_others(sqlite_url: str) -> None:
    with hiring_study(sqlite_url, quality={}, lease_seconds=10**6) as one:
        options = {"queue": f"{one.fake.url}/queue", "lifetime_hours": 1}
        one.service.send("PATCH", AT, {"platform_options": options})
        one.start()
        one.tick()
        taken = one.take("AGONE")
        token = one.enter(taken)
        one.judge(token, most=1)
        one.service.post("/v1/session/next", {}, bearer=token)
        one.tick()
        assert one.service.get(f"{AT}/progress")["open"] == 1
        # It runs out of time there, and nobody is told.
        taken.status = "Returned"
        pass_time(one, HOUR + 60)
        assert one.service.get(f"{AT}/progress")["open"] == 0
        assert one.hiring["submissions"] == {"lapsed": 1}
        assert one.hiring["reserved"] == 3 * 72, "of the next HIT"
        assert [each["worker"] for each in one.done("lapse")] == ["AGONE"]
        progress = one.service.get(f"{AT}/topics/coffee/progress")
        assert progress["judgments"] == 1, "what they did stays"


@pytest.mark.parametrize("how", ["expired", "deleted"])
def test_a_hit_that_a_person_ends_stops_hiring_and_says_so(one: HiringStudy, how: str) -> None:
    (hit,) = one.mturk.hits.values()
    one.tick()
    hit.expires = one.mturk.now - 1
    if how == "deleted":
        hit.disposed = True
    for _ in range(3):
        one.tick()
    assert len(one.mturk.hits) == 1
    about = one.hiring
    assert (about["state"], about["reserved"], about["offers"]) == ("stopped", 0, {"expired": 1})
    assert hit.id in about["message"] and "publish again" in about["message"]
    assert one.service.get(f"{AT}/pace")["paid"]["message"] == about["message"]
    assert one.done("stop")[0]["message"] == about["message"]
    one.start()
    one.tick()
    assert (one.hiring["state"], len(one.mturk.hits)) == ("running", 2)


# -- other platforms -----------------------------------------------------------------------------


class Study:
    """A study that hires on some platform."""

    def __init__(self, scenario: Scenario, service: InProcess) -> None:
        self.scenario, self.service = scenario, service
        self.runner = Runner(service.app.state.service, service.clock)

    def look(self, seconds: float = 15) -> Json:
        """Let the runner tick, and return the status of hiring."""
        self.service.clock.move(seconds)
        self.runner.tick()
        return dict(self.service.get(f"{AT}/hiring"))


@contextmanager
def hiring_at(kind: type[Scenario], url: str) -> Iterator[Study]:
    with kind.running_platform() as scenario:
        given = {scenario.platform.replace("-", "_"): scenario.access()}
        with installed(url, public_url=PUBLIC, platforms=given) as service:
            more = {"quality": {}, **scenario.study, "platform_options": scenario.options()}
            set_up(service, 12, platform=scenario.platform, **more)
            service.post(f"{AT}/hiring", {"state": "running"})
            made = Study(scenario, service)
            made.look()
            yield made
            made.runner.resign()


def test_a_study_that_a_person_stops_at_prolific_stops_hiring_and_pays_who_was_at_work(
    sqlite_url: str,
) -> None:
    with hiring_at(ProlificScenario, sqlite_url) as one:
        assert isinstance(one.scenario, ProlificScenario)
        fake = one.scenario.fake
        (study,) = fake.studies
        session = fake.take(study, "ann")
        names = {"PROLIFIC_PID": "ann", "SESSION_ID": session, "STUDY_ID": study}
        token = enter(one.service, ENTRANCE, names)
        judge(one.service, token, most=2)
        fake.move(study, "STOP")
        about = one.look()
        assert about["state"] == "stopped"
        assert "was stopped at Prolific, with 2 of 3 places left" in about["message"]
        each = about["reserved"]
        assert 0 < each < 1000 / 3, "for the one who is at work"
        assert about["offers"] == {"expired": 1}
        judge(one.service, token)
        one.service.post("/v1/session/finish", {}, bearer=token)
        fake.end(session)
        about = one.look()
        assert fake.submissions[session]["status"] == "APPROVED"
        assert (about["spent"], about["reserved"], len(fake.studies)) == (each, 0, 1)
        late = {**names, "PROLIFIC_PID": "eve", "SESSION_ID": "late"}
        with pytest.raises(AssertionError, match="bad-arrival"):
            enter(one.service, ENTRANCE, late)


def test_a_study_that_a_person_pauses_at_prolific_waits_until_it_goes_on(sqlite_url: str) -> None:
    with hiring_at(ProlificScenario, sqlite_url) as one:
        assert isinstance(one.scenario, ProlificScenario)
        fake = one.scenario.fake
        (study,) = fake.studies
        fake.move(study, "PAUSE")
        for _ in range(2):
            about = one.look()
            assert about["state"] == "running"
            assert "is paused at Prolific" in about["message"]
            assert (about["offers"], len(fake.studies)) == ({"open": 1}, 1)
        fake.move(study, "START")
        assert one.look()["message"] == ""


def test_a_study_whose_places_are_all_taken_at_prolific_ends_by_itself(sqlite_url: str) -> None:
    with hiring_at(ProlificScenario, sqlite_url) as one:
        assert isinstance(one.scenario, ProlificScenario)
        fake = one.scenario.fake
        (study,) = fake.studies
        for name in ("ann", "bob", "eve"):
            fake.end(fake.take(study, name), "APPROVED")
        fake.studies[study]["status"] = "COMPLETED"
        about = one.look()
        assert (about["state"], about["message"]) == ("running", "")
        assert about["offers"] == {"expired": 1, "open": 1}


@pytest.mark.parametrize("kind", [SlotsScenario, UnitsScenario], ids=lambda kind: kind.__name__)
def test_a_job_that_a_person_cancels_at_figure_eight_stops_hiring(
    kind: type[SlotsScenario] | type[UnitsScenario], sqlite_url: str
) -> None:
    with hiring_at(kind, sqlite_url) as one:
        assert isinstance(one.scenario, SlotsScenario | UnitsScenario)
        fake = one.scenario.fake
        (job,) = fake.jobs
        fake.move(job, "paused")
        assert f"job {job} is paused" in one.look()["message"]
        fake.move(job, "running")
        assert one.look()["message"] == ""
        assert one.service.get(f"{AT}/hiring")["reserved"] > 0
        fake.move(job, "canceled")
        about = one.look()
        assert (about["state"], about["reserved"]) == ("stopped", 0)
        assert f"job {job} is canceled at Figure Eight" in about["message"]
        assert "open" not in about["offers"]
        assert one.service.get(f"{AT}/progress")["open"] == 0
        units = len(fake.units)
        one.look()
        assert len(fake.units) == units


def test_nobody_is_waited_for_longer_than_eight_days(one: HiringStudy) -> None:
    pass_time(one, 72 * HOUR - 600)
    taken = one.take("AGONE")
    one.service.post(f"{AT}/hiring", {"state": "stopped"})
    one.judge(one.enter(taken), most=1)
    pass_time(one, 700)
    pass_time(one, 60)
    assert one.hiring["reserved"] == 72, "MTurk says that someone is at work"
    pass_time(one, 8 * 24 * HOUR)
    assert one.hiring["reserved"] == 0
    assert one.hiring["submissions"] == {"lapsed": 1}
