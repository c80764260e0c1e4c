"""What the words of `nextpair simulate` come to: topics to judge, and plans to judge them by."""

import argparse
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from nextpair.app.formats.features import FeatureTable, read_features
from nextpair.app.formats.trec import read_qrels
from nextpair.app.simulation.arguments import ANSWERS, COLUMNS
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.runs import BASELINE, Plan
from nextpair.app.simulation.truths import (
    Truth,
    generated_truths,
    graded_truths,
    recorded_truths,
)
from nextpair.selectors.base import find_selector, make_options
from nextpair.selectors.errors import BadInput, BadOption, UnknownOption
from nextpair.selectors.state.settings import DEFAULT_SELECTOR, ConflictPolicy


def check_counts(given: argparse.Namespace) -> None:
    """Refuse counts that cannot be meant."""
    for name, least in (("repeat", 1), ("jobs", 1), ("seed", 0)):
        if getattr(given, name) < least:
            raise BadOption(f"--{name} must be at least {least}, got {getattr(given, name)}")
    if given.key is not None and given.url is None:
        raise BadOption("--key has no effect without --url")


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
        truths = recorded_truths(
            given.replay,
            (given.columns or COLUMNS).split(","),
            (given.answers or ANSWERS).split(","),
        )
    elif given.generate is not None:
        truths = _generate(given.generate)
    else:
        truths = _graded(given.qrels, features)
    if not truths:
        raise BadInput("there is no topic to judge: the file holds none")
    return _choose_topics(truths, given.topics)


def _graded(qrels: Path | None, features: FeatureTable) -> Sequence[Truth]:
    if qrels is not None and features.grades:
        raise BadOption("--qrels and the grade column of --features cannot both say what is true")
    grades = features.grades if qrels is None else read_qrels(qrels)
    if features.names and grades and not features.knows(grades):
        raise BadInput("--features has no document of any of the topics")
    return graded_truths(grades, features)


def _refuse_idle_words(given: argparse.Namespace, sources: Sequence[str]) -> None:
    """Refuse words that would be passed over: what they ask for would seem to be there."""
    for source, words in (
        ("replay", ("features", "error", "error_spread", "spammers", "left", "reversers")),
        ("generate", ("features",)),
    ):
        for word in words:
            if source in sources and getattr(given, word):
                raise BadOption(f"--{word.replace('_', '-')} has no effect with --{source}")
    for word in ("columns", "answers"):
        if "replay" not in sources and getattr(given, word):
            raise BadOption(f"--{word} has no effect without --replay")


def _generate(spec: str) -> Sequence[Truth]:
    values = {"topics": "10", "documents": "200", "grades": "0.75/0.15/0.08/0.02", "seed": "0"}
    told: set[str] = set()
    for part in spec.split(","):
        key, _, value = part.partition("=")
        if key not in values:
            raise UnknownOption(f"--generate has no {key!r}; it has {', '.join(values)}")
        if key in told:
            raise BadOption(f"--generate {spec}: it says {key} twice")
        told.add(key)
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
    if len(set(ids)) < len(ids):
        raise BadOption(f"--topics {wanted} names a topic twice")
    if all(topic in by_id for topic in ids):
        return [by_id[topic] for topic in ids]
    if wanted.isdecimal() and 0 < int(wanted) <= len(truths):
        return list(truths[: int(wanted)])
    if wanted.isdecimal():
        raise BadOption(f"--topics {wanted}: there are {len(truths)} topics, and none of that id")
    unknown = [topic for topic in ids if topic not in by_id]
    raise BadOption(f"--topics: there is no topic {', '.join(unknown)}")


def make_plans(given: argparse.Namespace) -> list[Plan]:
    """Make one plan per selector named."""
    names = list(dict.fromkeys(given.selector or [DEFAULT_SELECTOR]))
    options = split_options(given.option)
    return [_plan(given, name, own) for name, own in _deal(names, options).items()]


def baseline_plan(given: argparse.Namespace) -> Plan:
    """Make the plan everything is measured against."""
    return _plan(given, BASELINE, {})


def _plan(given: argparse.Namespace, selector: str, options: dict[str, object]) -> Plan:
    crowd = given.crowd if given.crowd is not None else max(100, given.workers)
    return Plan(
        selector,
        options,
        CrowdSettings(
            crowd, given.error, given.error_spread, given.spammers, given.left, given.reversers
        ),
        given.votes,
        ConflictPolicy(given.on_conflict),
        given.workers,
        given.budget,
        given.max_documents,
    )


def split_options(texts: Sequence[str]) -> dict[str, str]:
    """Read KEY=VALUE, each key once."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise BadOption(f"--option must be KEY=VALUE, got {text!r}")
        if key in found:
            raise BadOption(f"--option {key} is given twice: {found[key]!r} and {value!r}")
        found[key] = value
    return found


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
