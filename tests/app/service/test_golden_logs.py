"""Recorded studies come out as they did when they were recorded."""

import os
from collections.abc import Mapping
from typing import Any

import pytest
from golden_logs import FOLDER, Case, canonical, cases, play, stored

EXACT = os.environ.get("NEXTPAIR_GOLDEN") == "exact"


def check_equal(now: Any, then: Any, where: str) -> None:
    """Compare results; numbers may differ in their last digits, as processors' sums do."""
    if isinstance(then, float) and isinstance(now, int | float) and not EXACT:
        assert now == pytest.approx(then, rel=1e-7, abs=1e-9), where
    elif isinstance(then, Mapping) and isinstance(now, Mapping):
        assert now.keys() == then.keys(), where
        for key in then:
            check_equal(now[key], then[key], f"{where} / {key}")
    elif isinstance(then, list) and isinstance(now, list):
        # The first difference tells more than the lengths do.
        for place, (left, right) in enumerate(zip(now, then, strict=False)):
            check_equal(left, right, f"{where} / {place}")
        assert len(now) == len(then), where
    else:
        assert now == then, where


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_recorded_study_comes_out_as_it_did(case: Case, sqlite_url: str) -> None:
    check_equal(canonical(play(case, sqlite_url)), stored(case), case.name)


def test_every_recording_belongs_to_a_case() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {case.file.name for case in cases()}


def test_recordings_go_far_enough_to_tell_selectors_apart() -> None:
    logs = [str(stored(case)["log"]) for case in cases()]
    assert len(set(logs)) == len(logs)
    assert all(len(stored(case)["log"]) > 12 for case in cases())
