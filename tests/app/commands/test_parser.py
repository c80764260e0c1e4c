"""What is said twice on a command line is refused: one of the two would have no effect."""

from pathlib import Path

import pytest

from nextpair.app.cli import main, parser_for

Captured = pytest.CaptureFixture[str]
AT = ["--url", "http://127.0.0.1:9", "--key", "np_x", "--study", "s"]
DRAWN = ["simulate", "--generate", "topics=1,documents=3"]


@pytest.mark.parametrize(
    "words",
    [
        [*DRAWN, "--selector", "merge-tie", "--option", "pool=3", "--option", "pool=4"],
        [*DRAWN, "--selector", "merge-tie", "--option", "pool=3", "--option", "pool=3"],
        ["import", *AT, "--documents", "d.jsonl", "--option", "risk=0", "--option", "risk=0.5"],
    ],
)
def test_an_option_that_is_given_twice_is_an_error(words: list[str], capsys: Captured) -> None:
    assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    name = "pool" if "simulate" in words else "risk"
    assert line.startswith(f"nextpair: --option {name} is given twice: ")


def test_different_options_may_be_given(capsys: Captured) -> None:
    words = ["--selector", "merge-tie", "--option", "pool=8", "--option", "svm_judgments=3"]
    assert main([*DRAWN, *words]) == 0
    assert "merge-tie (pool=8, svm_judgments=3)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*DRAWN, "--jobs", "1", "--jobs", "2"], "--jobs: given twice; give it once"),
        ([*DRAWN, "--generate", "topics=1"], "--generate: given twice; give it once"),
        (["serve", "--port", "1", "--port", "1"], "--port: given twice; give it once"),
        (["keys", "create", "--scope", "admin", "--scope", "read"], "--scope: given twice"),
        (
            ["import", *AT, "--documents", "a", "--documents", "b"],
            "--documents: given twice; --documents A B names several",
        ),
    ],
)
def test_a_word_that_takes_one_value_takes_it_once(
    words: list[str], message: str, capsys: Captured
) -> None:
    with pytest.raises(SystemExit) as raised:
        main(words)
    assert raised.value.code == 2
    assert message in capsys.readouterr().err


def test_lists_may_be_repeated() -> None:
    words = [*DRAWN, "--selector", "uniform", "--selector", "merge-tie", "--features", "a"]
    given = parser_for(words).parse_args([*words, "--features", "b"])
    assert given.selector == ["uniform", "merge-tie"]
    assert given.features == [Path("a"), Path("b")]
