"""What `nextpair simulate` refuses before anything is judged."""

import argparse
from pathlib import Path

import pytest

from nextpair.app.simulation.command_arguments import add_arguments
from nextpair.app.simulation.command_inputs import check_counts, make_plans, read_truths
from nextpair.selectors.errors import BadInput, BadOption, UnknownOption, UnknownSelector


def parse(words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(words.split())


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ("--selector best", UnknownSelector, "there is no selector 'best'"),
        ("--selector best --option pool=3", UnknownSelector, "there is no selector 'best'"),
        ("--option pool=3", UnknownOption, "none of placement has an option 'pool'"),
        ("--selector merge-tie --option size=3", UnknownOption, "none of merge-tie has an option"),
        ("--selector merge-tie --option pool", BadOption, "--option must be KEY=VALUE, got 'pool'"),
        (
            "--selector merge-tie --option pool=x",
            BadOption,
            "'pool' must be a whole number, got 'x'",
        ),
        ("--selector merge-tie --option pool=0", BadOption, "pool must hold at least one pair"),
        ("--selector elo-schedule --option top=-1", BadInput, "must not be negative"),
        ("--crowd 0", BadOption, "at least one worker, got 0"),
        ("--workers 0", BadOption, "can answer at once, got 0"),
        ("--workers 5 --crowd 4", BadOption, "all 4 workers of the crowd can answer at once"),
        ("--error 1.5", BadOption, "error must be between 0 and 1, got 1.5"),
        ("--error nan", BadOption, "error must be between 0 and 1, got nan"),
        ("--spammers -1", BadOption, "spammers must be between 0 and 1, got -1"),
        ("--left 1.5", BadOption, "^left must be between 0 and 1, got 1.5$"),
        ("--reversers nan", BadOption, "^reversers must be between 0 and 1, got nan$"),
        ("--left 0.6 --reversers 0.6", BadOption, r"at most 1 together, got 0.0 \+ 0.6 \+ 0.6$"),
        ("--error-spread 0.1", BadOption, "an error of 0.0 cannot spread by 0.1"),
        ("--budget 0", BadOption, "a budget must be positive and finite, got 0"),
        ("--max-documents 0", BadOption, "at least one document must be judged, got 0"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused(
    words: str, error: type[BadInput], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        make_plans(parse(words))
    assert type(raised.value) is error or error is BadInput


@pytest.mark.parametrize(("name", "least"), [("repeat", 1), ("jobs", 1), ("seed", 0)])
def test_a_count_that_cannot_be_meant_is_refused(name: str, least: int) -> None:
    check_counts(parse(f"--{name} {least}"))
    with pytest.raises(BadOption, match=f"^--{name} must be at least {least}, got {least - 1}$"):
        check_counts(parse(f"--{name} {least - 1}"))


@pytest.mark.parametrize(
    "words", ["--votes many", "--on-conflict maybe", "--budget", "--unheard-of", "--seed 0.5"]
)
def test_words_that_are_not_part_of_the_command_show_how_it_is_used(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        parse(words)
    assert raised.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--generate topics=1,topics=2", "it says topics twice"),
        ("--generate topics=1 --columns a,b,c,d,e", "--columns has no effect without --replay"),
        ("--generate topics=1 --features F", "--features has no effect with --generate"),
        ("--replay R --error 0.1", "--error has no effect with --replay"),
        ("--replay R --spammers 0.1", "--spammers has no effect with --replay"),
        ("--replay R --left 0.1", "--left has no effect with --replay"),
        ("--replay R --reversers 0.1", "--reversers has no effect with --replay"),
        ("--qrels Q --features G", "cannot both say what is true"),
        ("--qrels Q --features F", "--features has no document of any of the topics"),
    ],
)
def test_words_that_would_be_passed_over_are_refused(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("Q").write_text("1 0 a 1\n1 0 b 0\n")
    Path("F").write_text("topic,doc,f\n1,c,3\n")
    Path("G").write_text("topic,doc,grade,f\n1,a,1,3\n")
    Path("R").write_text("topic,first,second,worker,answer\n1,a,b,w,tie\n")
    with pytest.raises(BadInput, match=message):
        read_truths(parse(words))
