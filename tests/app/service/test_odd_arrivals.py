"""Addresses that nobody's platform makes: whatever they hold, they are refused and never a 500."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import InProcess, installed, refusal

EXAMPLES = 120
OPTIONS: dict[str, dict[str, object]] = {
    "mturk": {},
    "prolific": {},
    "figure-eight": {"way": "slots"},
    "generic": {
        "worker": "pid",
        "offer": "oid",
        "ending": "redirect",
        "back": "to",
        "sites": ["https://work.example.org"],
    },
}
GOOD = {
    "mturk": {"workerId": "AW", "assignmentId": "A1", "hitId": "H1"},
    "prolific": {"PROLIFIC_PID": "p", "SESSION_ID": "s", "STUDY_ID": "t"},
    "figure-eight": {"slot": "s1", "code": "C", "offer": "1:1"},
    "generic": {"pid": "p", "to": "https://work.example.org/", "oid": "o"},
}
SIGNED = {"prolific_token": "x.y.z"}
ODD_SITES = ["https://[", "https://[::1", "https://a\uff0fb", "https://a\u2100b", "//", "http:"]
_odd = st.sampled_from(
    [*ODD_SITES, "", " ", "\x00", "a\x00b", "{{", "..", "/", "\u202e", "e\u0301", "9" * 5000]
)
_values = _odd | st.text(max_size=30) | st.binary(max_size=20)
CASES: list[tuple[str, dict[str, object]]] = [(name, {}) for name in OPTIONS] + [
    ("prolific", {"secure": True})
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, migrated_file: Path) -> Iterator[InProcess]:
    """A service with a study of each platform that sends people here."""
    file = tmp_path_factory.mktemp("odd") / "nextpair.db"
    shutil.copy(migrated_file, file)
    given = {"prolific": {"keys": "http://127.0.0.1:9/jwks"}}
    with installed(f"sqlite:///{file}", platforms=given) as made:
        for number, (name, more) in enumerate(CASES):
            options = {**OPTIONS[name], **more}
            made.make_study(f"s{number}", platform=name, platform_options=options)
            made.make_topic(4, study=f"s{number}")
        yield made


@pytest.mark.parametrize("name", ["turkSubmitTo", "turk_submit_to"])
@pytest.mark.parametrize("site", ODD_SITES)
def test_an_address_to_go_back_to_that_is_none_is_refused(
    service: InProcess, name: str, site: str
) -> None:
    asked = urlencode({**GOOD["mturk"], name: site})
    response = service.http.get(f"/judge/s0/enter?{asked}", follow_redirects=False)
    refusal(response, 422, "bad-arrival")


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_no_parameter_of_an_address_is_an_error_of_the_service(
    service: InProcess, data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(CASES) - 1))
    names = {**GOOD[CASES[number][0]], **SIGNED, "turkSubmitTo": "", "worker": "", "preview": ""}
    changed = data.draw(st.dictionaries(st.sampled_from(sorted(names)), _values, max_size=3))
    asked = urlencode({**GOOD[CASES[number][0]], **changed})
    pages = ("enter", "preview", "")
    page = data.draw(st.sampled_from(pages))
    response = service.http.get(f"/judge/s{number}/{page}?{asked}".replace("/?", "?"),
                                follow_redirects=False)  # fmt: skip
    known = (200, 303, 403, 422)
    away = (503,) if CASES[number][1] else ()
    assert response.status_code in (*known, *away), response.text
