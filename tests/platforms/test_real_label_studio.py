"""A Label Studio that is really there, if the one who tests says where: nothing is faked here."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from crowds import until
from installations import new_key, reserved_port, serving
from platforms.attempt_history import AttemptHistory
from platforms.task_scenarios import preferred
from platforms.test_label_studio import OFFER, answers
from pydantic import SecretStr

from nextpair.app.client import Client
from nextpair.app.platforms.registry import make_platform, read_access
from nextpair.app.schemas.topics import DocumentIn, TopicIn
from nextpair.storage.database import Database
from nextpair.storage.hiring_rows import HiringState

REAL = os.environ.get("NEXTPAIR_TEST_LABEL_STUDIO", "")
pytestmark = pytest.mark.skipif(
    not REAL, reason="set NEXTPAIR_TEST_LABEL_STUDIO=TOKEN@http://127.0.0.1:PORT"
)
TOKEN, _, URL = REAL.partition("@")


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    """A way to do what annotators do."""
    headers = {"Authorization": f"Token {TOKEN}"}
    with httpx.Client(base_url=URL, headers=headers, timeout=30) as made:
        yield made


def annotate(http: httpx.Client, project: int, choose: Callable[[Any], str]) -> bool:
    """Answer the next task of a project; False if there is none."""
    told = http.get(f"/api/projects/{project}/next")
    if told.status_code == 404:
        return False
    task = told.json()
    value = {"selected": choose(task["data"])}
    said = {"from_name": "pw", "to_name": "text1,text2", "type": "pairwise", "value": value}
    made = http.post(f"/api/tasks/{task['id']}/annotations/", json={"result": [said]})
    assert made.status_code == 201, made.text
    return True


def test_it_takes_a_batch_and_gives_it_back(http: httpx.Client) -> None:
    given = {"url": SecretStr(URL), "token": SecretStr(TOKEN)}
    access = read_access("label-studio", {"label_studio": given})
    account = make_platform("label-studio", {}).open(access)
    ledger = AttemptHistory()
    offer = account.publish(OFFER, ledger.attempt(f"real-{os.urandom(8).hex()}"))
    assert {one.answer for one in answers(account, offer).values()} == {None}
    assert annotate(http, int(ledger.resources["project"]), lambda _: "left")
    told = [one for one in answers(account, offer).values() if one.answer]
    assert [one.answer for one in told] == [{"preference": "left"}]
    account.expire(offer, ledger.attempt("end"))
    assert len(answers(account, offer)) == 1
    account.close()


def test_a_study_is_judged_there_to_its_end_and_webhooks_tell_of_it(
    http: httpx.Client, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'nextpair.db'}"
    key = new_key(url)
    access = {"url": URL, "token": TOKEN, "hook_secret": "our-word"}
    settings: dict[str, Any] = {
        "runner_seconds": 0.3,
        **{f"platforms__label_studio__{name}": value for name, value in access.items()},
    }
    database = Database(url)
    with (
        reserved_port() as port,
        serving(url, port=port, public_url=f"http://127.0.0.1:{port}", **settings) as (address, _),
        Client(address, key) as client,
    ):
        money = {"questions": 2, "at_once": 2}
        options = {"selector": "merge-tie-random", "platform": "label-studio", "hiring": money}
        client.create_study("real", title=f"nextpair {os.urandom(4).hex()}", **options)
        documents = [DocumentIn(id=f"d{n}", text=f"text {n}") for n in range(1, 6)]
        client.add_topic("real", TopicIn(id="t", documents=documents))
        client.set_hiring("real", HiringState.RUNNING)
        until(lambda: bool(_memory(database)), "a project is made")
        project = int(_memory(database)["project"])

        def is_over() -> bool:
            annotate(http, project, preferred)
            return bool(client.study_progress("real").finished)

        until(is_over, "everything is answered")
        assert client.ranking("real", "t").classes == [[f"d{n}"] for n in range(1, 6)]
    with database.read() as connection:
        heard = connection.exec_driver_sql("SELECT count(*) FROM notices").scalar_one()
    database.close()
    assert heard >= 5, "a webhook for each answer"


def _memory(database: Database) -> dict[str, Any]:
    with database.read() as connection:
        found = connection.exec_driver_sql("SELECT memory FROM hirings").scalar_one_or_none()
    return dict(json.loads(found or "{}"))
