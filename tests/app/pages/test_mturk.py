"""Mechanical Turk from end to end, in a real browser: workers judge in its frame and hand in."""

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from browsers import Site, Worker
from crowds import until
from installations import new_key, reserved_port, serving
from platforms.fake_mturk import MTurk
from platforms.fake_mturk_model import Assignment, Hit
from platforms.fake_mturk_server import Server
from platforms.fake_mturk_server import serving as serving_mturk
from playwright.sync_api import Browser, expect

from nextpair.app.cli import main
from nextpair.app.client import Client
from nextpair.app.schemas.hiring import HiringOut
from nextpair.app.schemas.topics import DocumentIn, GoldIn, GoldsIn
from nextpair.storage.hiring_rows import HiringState

STUDY, TOPIC = "coffee", "t"
HIRING = {
    "questions": 10,
    "reward": 50,
    "bonus": 10,
    "budget": 1000,
    "at_once": 4,
    "on_failure": "reject",
}


@pytest.fixture
def fake() -> Iterator[Server]:
    """A Mechanical Turk of our own."""
    mturk = MTurk()
    mturk.now = time.time()
    with serving_mturk(mturk) as running:
        yield running


@pytest.fixture
def site(fake: Server, browser: Browser, tmp_path: Path) -> Iterator[Site]:
    """A service that looks after the fake by itself, and a browser."""
    url = f"sqlite:///{tmp_path / 'nextpair.db'}"
    access = {f"platforms__mturk__{name}": value for name, value in fake.access().items()}
    with ExitStack() as stack:
        key = new_key(url)
        port = stack.enter_context(reserved_port())
        settings: dict[str, Any] = {"public_url": f"http://127.0.0.1:{port}", **access}
        settings["runner_seconds"] = 0.2
        address, _ = stack.enter_context(serving(url, port=port, **settings))
        client = stack.enter_context(Client(address, key))
        site = Site(address, client, browser, key=key)
        yield site
        site.close()


def _set_up(site: Site, fake: Server) -> None:
    quality = {"batch": 10, "traps": 2, "traps_pass": 1.0, "on_failure": "ignore"}
    options = {"queue": f"{fake.url}/queue"}
    site.make_study(
        STUDY,
        10,
        TOPIC,
        selector="placement",
        options={"risk": 0},
        quality=quality,
        hiring=HIRING,
        platform="mturk",
        platform_options=options,
        instructions="Prefer the smaller number.",
    )
    traps = [(9000 + n, 9500 + n) for n in range(6)]
    documents = [
        DocumentIn(id=f"d{n}", title=f"Document {n}", text="A trap.") for two in traps for n in two
    ]
    golds = [
        GoldIn(documents=[f"d{good}", f"d{bad}"], answer={"preference": "left"})
        for good, bad in traps
    ]
    site.client.add_golds(STUDY, TOPIC, GoldsIn(documents=documents, golds=golds))


def _sit_down(site: Site, fake: Server, worker: str) -> tuple[Worker, Assignment]:
    """Let a worker accept a HIT that has room, and begin in the platform's frame."""
    until(lambda: bool(_with_room(fake)), "there is a HIT")
    hit = _with_room(fake)[0]
    with fake.lock:
        taken = fake.mturk.accept(hit.id, worker)
    page = site.page()
    page.goto(f"{fake.url}/work?hit={hit.id}&assignment={taken.id}&worker={worker}")
    frame = page.frame("task")
    assert frame is not None
    frame.get_by_role("button", name="Begin").click()
    expect(frame.locator("#question")).to_be_visible()
    return Worker(page, frame), taken


def _with_room(fake: Server) -> list[Hit]:
    def taken(hit: Hit) -> int:
        return sum(one.status != "Returned" for one in hit.assignments)

    with fake.lock:
        hits = list(fake.mturk.hits.values())
        return [hit for hit in hits if taken(hit) < hit.places and hit.expires > fake.mturk.now]


@dataclass(frozen=True)
class Forecast:
    """What `nextpair publish mturk --dry-run` has printed, in cents."""

    session: int
    bonus: int
    sessions: int
    likely: int
    low: int
    high: int


def _forecast(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Forecast:
    monkeypatch.setenv("NEXTPAIR_KEY", site.key)
    words = ["publish", "mturk", "--url", site.address, "--study", STUDY, "--dry-run"]
    assert main(words) == 0
    told = capsys.readouterr().out
    each = re.search(r"a session: USD ([\d.]+), its bonus USD ([\d.]+), fees included", told)
    whole = re.search(
        r"the whole study: (\d+) session\(s\), USD ([\d.]+) \(USD ([\d.]+) to USD ([\d.]+)\)", told
    )
    assert each and whole, told
    cents = [round(float(one) * 100) for one in (*each.groups(), *whole.groups()[1:])]
    session, bonus, likely, low, high = cents
    return Forecast(session, bonus, int(whole[1]), likely, low, high)


def _hand_in(worker: Worker) -> None:
    worker.frame.get_by_role("button", name="Hand in", exact=True).click()
    submitted = worker.page.frame_locator("iframe").get_by_role("heading", name="Submitted")
    expect(submitted).to_be_visible()


def _prefer_greater(worker: Worker) -> None:
    left, right = worker.documents
    worker.page.keyboard.press("ArrowRight" if left < right else "ArrowLeft")
    worker.submit()


def _open(site: Site) -> int:
    return site.client.study_progress(STUDY).open


def test_a_study_is_judged_in_mturks_frame_and_paid_by_its_rules(
    site: Site,
    fake: Server,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _set_up(site, fake)
    forecast = _forecast(site, capsys, monkeypatch)
    assert fake.calls == []
    site.client.set_hiring(STUDY, HiringState.RUNNING)
    until(lambda: len(fake.mturk.hits) == 1, "a HIT is published")
    (hit,) = fake.mturk.hits.values()

    # Who only looks sees an example, and takes nothing.
    page = site.page()
    page.goto(f"{fake.url}/work?hit={hit.id}&assignment=ASSIGNMENT_ID_NOT_AVAILABLE")
    preview = page.frame_locator("iframe")
    preview.get_by_role("button", name="See an example").click()
    expect(preview.locator("#banner")).to_contain_text("This is a preview")
    assert list(site.client.workers(STUDY)) == []

    # One returns the HIT midway: the question in their hands is free again.
    leaver, left = _sit_down(site, fake, "ALEAVER")
    for _ in range(3):
        assert leaver.waits()
        leaver.prefer_smaller()
    until(lambda: _open(site) >= 1, "a question is in their hands")
    with fake.lock:
        fake.mturk.give_back(left)
    until(lambda: _open(site) == 0, "the lease comes back")
    leaver.page.close()

    # One answers every question wrong, the traps among them.
    fool, foolish = _sit_down(site, fake, "AFOOL")
    while fool.waits():
        _prefer_greater(fool)
    assert fool.answered == 10
    fool.frame.get_by_role("button", name="Continue").click()
    _hand_in(fool)
    until(lambda: foolish.status == "Rejected", "the fool is rejected")

    # Others judge well, until the study is finished: they are paid.
    paid = []
    for name in ("AANN", "ABEN", "ACLEO", "ADORA"):
        if site.client.study_progress(STUDY).finished:
            break
        worker, taken = _sit_down(site, fake, name)
        while worker.waits():
            worker.prefer_smaller()
        assert worker.answered <= 10
        _hand_in(worker)
        paid.append(taken)
    until(lambda: all(one.status == "Approved" for one in paid), "all are approved")
    until(lambda: len(fake.mturk.bonuses) == len(paid), "and get a bonus")
    assert site.client.study_progress(STUDY).finished == 1
    hits = fake.mturk.hits.values()
    until(lambda: all(hit.expires <= fake.mturk.now for hit in hits), "the HITs are withdrawn")

    # What was decided and paid there is noted here a moment later.
    noted = {"returned": 1, "rejected": 1, "accepted": len(paid)}
    until(lambda: site.client.hiring(STUDY).submissions == noted, "all is noted")
    until(lambda: site.client.hiring(STUDY).spent == fake.mturk.spent, "all costs are noted")
    hiring = site.client.hiring(STUDY)
    assert sorted(one["WorkerId"] for one in fake.mturk.bonuses) == [one.worker for one in paid]
    assert (foolish.feedback or "").startswith("Questions with known answers")
    _cost_is_as_forecast(fake.mturk, hiring, forecast, len(paid))
    tiles = site.sign_in(f"/studies/{STUDY}").locator(".tiles")
    expect(tiles).to_contain_text(f"${fake.mturk.spent / 100:.2f}")
    expect(tiles).to_contain_text("at mturk, $0.00 reserved")


def _cost_is_as_forecast(mturk: MTurk, hiring: HiringOut, forecast: Forecast, paid: int) -> None:
    """Compare what MTurk has booked with what was told before anything was published."""
    booked = {
        kind: [one for one in mturk.ledger if one.kind == kind] for kind in ("reward", "bonus")
    }
    assert [one.pay for one in booked["reward"]] == [HIRING["reward"]] * paid
    assert [one.pay for one in booked["bonus"]] == [HIRING["bonus"]] * paid
    assert {one.pay + one.fee for one in booked["reward"]} == {forecast.session}
    assert {one.pay + one.fee for one in booked["bonus"]} == {forecast.bonus}
    total = sum(one.pay + one.fee for one in mturk.ledger)
    assert total == mturk.spent == hiring.spent
    assert forecast.likely == forecast.sessions * (forecast.session + forecast.bonus)
    assert forecast.low <= total <= forecast.high
