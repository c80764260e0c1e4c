"""The picture of a study."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.simulation.plot import confidence_interval, draw
from nextpair.app.simulation.runs import SimulationPlan, TopicRun
from nextpair.app.simulation.studies import StudyRun
from nextpair.selectors.errors import NextpairError


def runs(*judgments: int) -> list[StudyRun]:
    return [
        StudyRun(
            SimulationPlan("uniform"),
            seed,
            [TopicRun("1", 10, count, 0, 1.0, True, True, 0.1, 50.0)],
        )
        for seed, count in enumerate(judgments)
    ]


def test_the_interval_is_student_s() -> None:
    # t of 0.975 with two degrees of freedom is 4.3027, from any table of it.
    assert confidence_interval([1, 2, 3]) == pytest.approx(
        (2 - 4.3027 / 3**0.5, 2 + 4.3027 / 3**0.5), abs=1e-4
    )


def test_one_value_is_its_own_interval() -> None:
    assert confidence_interval([5]) == (5, 5)


@given(values=st.lists(st.integers(0, 1000), min_size=1, max_size=9))
def test_the_mean_is_the_middle_of_its_interval(values: list[int]) -> None:
    low, high = confidence_interval(values)
    assert (low + high) / 2 == pytest.approx(sum(values) / len(values))
    assert (low == high) == (len(set(values)) == 1)


@pytest.mark.parametrize(
    ("name", "magic"), [("plot.png", b"\x89PNG\r\n\x1a\n"), ("plot.pdf", b"%PDF-")]
)
def test_a_picture_is_written_in_the_format_its_name_says(
    tmp_path: Path, name: str, magic: bytes
) -> None:
    draw({"quick-sort (baseline)": runs(900, 1000), "mine": runs(700, 800)}, tmp_path / name)
    written = (tmp_path / name).read_bytes()
    assert written.startswith(magic)
    assert len(written) > 3000


def test_one_repeat_of_one_mechanism_can_be_drawn(tmp_path: Path) -> None:
    draw({"mine": runs(0)}, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").exists()


@pytest.mark.parametrize("name", ["plot.unheard-of", "no-such-folder/plot.png"])
def test_where_nothing_can_be_drawn_the_error_names_the_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(NextpairError, match=f"^cannot draw to {tmp_path / name}: "):
        draw({"mine": runs(5)}, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
