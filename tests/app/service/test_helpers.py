"""What helper processes compute is what the service computes by itself, byte for byte."""

import pytest
from in_process import AT, ON_TOPIC, InProcess, installed
from reported import answer_all, bob_errs, study

ANSWERS = (
    f"{ON_TOPIC}/ranking",
    f"{ON_TOPIC}/ranking?rating=elo-variance",
    f"{ON_TOPIC}/ranking?rating=worker-bradley-terry",
    f"{ON_TOPIC}/progress",
    f"{ON_TOPIC}/reliability",
    f"{ON_TOPIC}/explain?first=d1&second=d3",
    f"{ON_TOPIC}/conflicts",
    f"{ON_TOPIC}/classes",
    f"{ON_TOPIC}/matrix?bins=3",
    f"{AT}/progress",
    f"{AT}/report",
    f"{AT}/report.html?topic=coffee&pseudonyms=true",
    f"{AT}/export/qrels?unjudged=true",
    f"{AT}/export/qrels-real",
    f"{AT}/export/run?rating=win-share",
    f"{AT}/export/pairs",
    f"{AT}/export/csv",
    f"{AT}/export/jsonl?pseudonyms=true",
)
REFUSED = (
    f"{ON_TOPIC}/ranking?rating=stars",
    f"{ON_TOPIC}/explain?first=d1&second=none",
    f"{AT}/export/run?rating=stars",
    f"{AT}/report?topic=none",
)
MADE_ANEW = {"date", "x-request-id", "content-length", "transfer-encoding"}


@pytest.mark.parametrize("selector", ["placement", "merge-tie-random"])
def test_helpers_answer_as_the_service_does(light: InProcess, selector: str) -> None:
    study(light, 6, selector=selector)
    answer_all(light, bob_errs(1, 3), "ann", "bob")
    with installed(light.url, heavy_from=0, heavy_processes=1) as heavy:
        for path in ANSWERS:
            ours, theirs = light.send("GET", path), heavy.send("GET", path)
            assert ours.status_code == theirs.status_code == 200, theirs.text
            assert ours.content == theirs.content, path
            headers = [
                {name: value for name, value in one.headers.items() if name not in MADE_ANEW}
                for one in (ours, theirs)
            ]
            assert headers[0] == headers[1], path
        for path in REFUSED:
            ours, theirs = light.send("GET", path), heavy.send("GET", path)
            assert ours.status_code == theirs.status_code >= 400
            assert ours.json()["detail"] == theirs.json()["detail"]
        for body in (
            {"worker": "bob", "dry_run": True},
            {"judgments": [{"topic": "coffee", "numbers": [1]}]},
        ):
            effects = light.post(f"{AT}/retractions", {**body, "dry_run": True})
            assert heavy.post(f"{AT}/retractions", body)["topics"] == effects["topics"]
        assert heavy.get(f"{ON_TOPIC}/judgments")["items"][0]["retracted"] == ""
