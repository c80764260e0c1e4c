"""The words of `nextpair simulate`, and what they come to."""

import argparse
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from nextpair.app.formats.features import read_features
from nextpair.app.formats.trec import read_qrels
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.runs import Plan
from nextpair.app.simulation.truths import (
    Truth,
    generated_truths,
    graded_truths,
    recorded_truths,
)
from nextpair.selectors.base import find_selector, make_options, selector_names
from nextpair.selectors.errors import BadInput, BadOption, UnknownOption
from nextpair.selectors.topic.settings import ConflictPolicy

EXAMPLE = """\
examples:
  nextpair simulate --generate topics=10,documents=200,grades=0.75/0.15/0.08/0.02 --repeat 5
  nextpair simulate --qrels wt11.qrels.gz --selector merge-tie-random --repeat 30 --jobs 2
  nextpair simulate --replay judgments.csv.gz --columns topic,arg1,arg2,worker,value \\
      --answers a1,a2,equal --selector quick-sort --votes 5
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    _add_judges(parser.add_argument_group("who answers (one of the first four is needed)"))
    _add_mechanisms(parser.add_argument_group("what is measured"))
    _add_scale(parser.add_argument_group("how much of it"))
    _add_results(parser.add_argument_group("what comes out"))


def _add_judges(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--qrels", type=Path, metavar="FILE", help="graded qrels, plain or gzip")
    group.add_argument(
        "--generate",
        metavar="SPEC",
        help="draw grades: topics=50,documents=300,grades=0.75/0.15/0.08/0.02 (and seed=0)",
    )
    group.add_argument("--replay", type=Path, metavar="FILE", help="recorded answers, a CSV file")
    group.add_argument(
        "--features",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="CSV with topic, doc, perhaps grade, and features; or a TREC run; repeatable",
    )
    group.add_argument(
        "--columns",
        default="topic,first,second,worker,answer",
        help="columns of --replay: topic, first, second, worker, answer (default: %(default)s)",
    )
    group.add_argument(
        "--answers",
        default="better,worse,tie",
        help="what its answer column says for first, second, tie (default: %(default)s)",
    )
    group.add_argument(
        "--error", type=float, default=0.0, metavar="E", help="share of wrong answers"
    )
    group.add_argument(
        "--error-spread", type=float, default=0.0, metavar="S", help="its spread between workers"
    )
    group.add_argument(
        "--spammers", type=float, default=0.0, metavar="S", help="share answering at random"
    )
    group.add_argument(
        "--crowd", type=int, metavar="N", help="how many workers there are (default: 100, or more)"
    )


def _add_mechanisms(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--selector",
        action="append",
        metavar="NAME",
        help=f"{', '.join(selector_names())}; repeatable (default: merge-tie-random)",
    )
    group.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="for every selector named that has it; repeatable",
    )
    group.add_argument("--votes", type=int, default=1, metavar="V", help="workers per pair")
    group.add_argument(
        "--on-conflict",
        type=ConflictPolicy,
        default=ConflictPolicy.OLDER_WINS,
        choices=list(ConflictPolicy),
        metavar="|".join(ConflictPolicy),
        help="what an answer does that contradicts the order",
    )
    group.add_argument(
        "--workers", type=int, default=1, metavar="W", help="how many answer at once"
    )
    group.add_argument(
        "--no-baseline", action="store_true", help="do not run quick-sort beside the others"
    )


def _add_scale(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--budget", type=float, metavar="J", help="judgments per document, at most")
    group.add_argument(
        "--topics", metavar="IDS|N", help="only these topics (1,2,3), or the first N"
    )
    group.add_argument(
        "--max-documents", type=int, metavar="N", help="a random sample per topic and repeat"
    )
    group.add_argument("--repeat", type=int, default=1, metavar="R")
    group.add_argument(
        "--seed", type=int, default=0, metavar="S", help="of the first repeat; the next has S+1"
    )
    group.add_argument("--jobs", type=int, default=1, metavar="P", help="processes to use")


def _add_results(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--json", type=Path, metavar="FILE", help="one object per selector and repeat"
    )
    group.add_argument(
        "--plot", type=Path, metavar="FILE", help="mean, min, max and interval per mechanism"
    )


def check_counts(given: argparse.Namespace) -> None:
    """Refuse counts that cannot be meant."""
    for name, least in (("repeat", 1), ("jobs", 1), ("seed", 0)):
        if getattr(given, name) < least:
            raise BadOption(f"--{name} must be at least {least}, got {getattr(given, name)}")


def read_truths(given: argparse.Namespace) -> list[Truth]:
    """Read or draw the topics to be judged."""
    features = read_features(given.features)
    sources = [name for name in ("qrels", "generate", "replay") if getattr(given, name) is not None]
    if len(sources) > 1:
        raise BadOption(f"--{sources[0]} and --{sources[1]} cannot both say what is true")
    if not sources and not features.grades:
        raise BadOption("give --qrels, --generate, --replay, or --features with a grade column")
    _refuse_idle_words(given, sources)
    truths: Sequence[Truth]
    if given.replay is not None:
        truths = recorded_truths(given.replay, given.columns.split(","), given.answers.split(","))
    elif given.generate is not None:
        truths = _generate(given.generate)
    else:
        truths = graded_truths(read_qrels(given.qrels) if sources else features.grades, features)
    if not truths:
        raise BadInput("there is no topic to judge: the file holds none")
    return _choose_topics(truths, given.topics)


def _refuse_idle_words(given: argparse.Namespace, sources: Sequence[str]) -> None:
    """Refuse words that would be passed over: what they ask for would seem to be there."""
    for source, words in (
        ("replay", ("features", "error", "error_spread", "spammers")),
        ("generate", ("features",)),
    ):
        for word in words:
            if source in sources and getattr(given, word):
                raise BadOption(f"--{word.replace('_', '-')} has no effect with --{source}")


def _generate(spec: str) -> Sequence[Truth]:
    values = {"topics": "10", "documents": "200", "grades": "0.75/0.15/0.08/0.02", "seed": "0"}
    for part in spec.split(","):
        key, _, value = part.partition("=")
        if key not in values:
            raise UnknownOption(f"--generate has no {key!r}; it has {', '.join(values)}")
        values[key] = value
    try:
        topics, documents, seed = (int(values[key]) for key in ("topics", "documents", "seed"))
        shares = [float(share) for share in values["grades"].split("/")]
    except ValueError as error:
        raise BadOption(f"--generate {spec}: {error}") from None
    if min(topics, documents) < 1 or seed < 0 or min(shares) < 0 or not 0 < sum(shares) < np.inf:
        raise BadOption(f"--generate {spec}: counts and shares must be positive")
    return generated_truths(topics, documents, shares, np.random.default_rng(seed))


def _choose_topics(truths: Sequence[Truth], wanted: str | None) -> list[Truth]:
    if wanted is None:
        return list(truths)
    ids = wanted.split(",")
    by_id = {truth.topic: truth for truth in truths}
    if all(topic in by_id for topic in ids):
        return [by_id[topic] for topic in ids]
    if wanted.isdecimal() and int(wanted) > 0:
        return list(truths[: int(wanted)])
    unknown = [topic for topic in ids if topic not in by_id]
    raise BadOption(f"--topics: there is no topic {', '.join(unknown)}")


def make_plans(given: argparse.Namespace) -> list[Plan]:
    """Make one plan per selector named."""
    names = list(dict.fromkeys(given.selector or ["merge-tie-random"]))
    options = dict(_split_option(option) for option in given.option)
    return [_plan(given, name, own) for name, own in _deal(names, options).items()]


def baseline_plan(given: argparse.Namespace) -> Plan:
    """Make the plan everything is measured against."""
    return _plan(given, "quick-sort", {})


def _plan(given: argparse.Namespace, selector: str, options: dict[str, object]) -> Plan:
    crowd = given.crowd if given.crowd is not None else max(100, given.workers)
    return Plan(
        selector,
        options,
        CrowdSettings(crowd, given.error, given.error_spread, given.spammers),
        given.votes,
        given.on_conflict,
        given.workers,
        given.budget,
        given.max_documents,
    )


def _split_option(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise BadOption(f"--option must be KEY=VALUE, got {text!r}")
    return key, value


def _deal(names: Sequence[str], options: dict[str, str]) -> dict[str, dict[str, object]]:
    """Give each selector the options it has, read; refuse one that none of them has."""
    known = {
        name: {option.name for option in fields(find_selector(name).Options)} for name in names
    }
    for key in options:
        if not any(key in own for own in known.values()):
            raise UnknownOption(f"none of {', '.join(names)} has an option {key!r}")
    dealt: dict[str, dict[str, object]] = {}
    for name, own in known.items():
        texts = {key: text for key, text in options.items() if key in own}
        read = make_options(find_selector(name), texts)
        dealt[name] = {key: getattr(read, key) for key in texts}
    return dealt
