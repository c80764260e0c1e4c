"""Turns the command-line arguments of `nextpair simulate` into ground truths and plans."""

import argparse
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from nextpair.app.formats.features import FeatureTable, read_features
from nextpair.app.formats.trec import read_qrels
from nextpair.app.simulation.command_arguments import ANSWERS, COLUMNS
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.ground_truth import (
    GroundTruth,
    generated_truths,
    graded_truths,
    recorded_truths,
)
from nextpair.app.simulation.runs import BASELINE, SimulationPlan
from nextpair.selectors.base import find_selector, make_options
from nextpair.selectors.errors import BadInput, BadOption, UnknownOption
from nextpair.selectors.state.settings import DEFAULT_SELECTOR, ConflictPolicy


def check_counts(arguments: argparse.Namespace) -> None:
    """Refuse counts that are too small, and a key without a service."""
    for name, least in (("repeat", 1), ("jobs", 1), ("seed", 0)):
        if getattr(arguments, name) < least:
            raise BadOption(f"--{name} must be at least {least}, got {getattr(arguments, name)}")
    if arguments.key is not None and arguments.url is None:
        raise BadOption("--key has no effect without --url")


def read_truths(arguments: argparse.Namespace) -> list[GroundTruth]:
    """Read or generate the topics to be judged."""
    features = read_features(arguments.features)
    sources = [
        name for name in ("qrels", "generate", "replay") if getattr(arguments, name) is not None
    ]
    if len(sources) > 1:
        raise BadOption(f"--{sources[0]} and --{sources[1]} cannot both say what is true")
    if not sources and not features.grades:
        raise BadOption("give --qrels, --generate, --replay, or --features with a grade column")
    _refuse_ineffective_options(arguments, sources)
    truths: Sequence[GroundTruth]
    if arguments.replay is not None:
        truths = recorded_truths(
            arguments.replay,
            (arguments.columns or COLUMNS).split(","),
            (arguments.answers or ANSWERS).split(","),
        )
    elif arguments.generate is not None:
        truths = _generate(arguments.generate)
    else:
        truths = _graded(arguments.qrels, features)
    if not truths:
        raise BadInput("there is no topic to judge: the file holds none")
    return _choose_topics(truths, arguments.topics)


def _graded(qrels: Path | None, features: FeatureTable) -> Sequence[GroundTruth]:
    if qrels is not None and features.grades:
        raise BadOption("--qrels and the grade column of --features cannot both say what is true")
    grades = features.grades if qrels is None else read_qrels(qrels)
    if features.names and grades and not features.knows(grades):
        raise BadInput("--features has no document of any of the topics")
    return graded_truths(grades, features)


def _refuse_ineffective_options(arguments: argparse.Namespace, sources: Sequence[str]) -> None:
    """Refuse options without effect: ignored silently, they would seem to have one."""
    for source, words in (
        ("replay", ("features", "error", "error_spread", "spammers", "left", "reversers")),
        ("generate", ("features",)),
    ):
        for word in words:
            if source in sources and getattr(arguments, word):
                raise BadOption(f"--{word.replace('_', '-')} has no effect with --{source}")
    for word in ("columns", "answers"):
        if "replay" not in sources and getattr(arguments, word):
            raise BadOption(f"--{word} has no effect without --replay")


def _generate(spec: str) -> Sequence[GroundTruth]:
    values = {"topics": "10", "documents": "200", "grades": "0.75/0.15/0.08/0.02", "seed": "0"}
    seen: set[str] = set()
    for part in spec.split(","):
        key, _, value = part.partition("=")
        if key not in values:
            raise UnknownOption(f"--generate has no {key!r}; it has {', '.join(values)}")
        if key in seen:
            raise BadOption(f"--generate {spec}: it says {key} twice")
        seen.add(key)
        values[key] = value
    try:
        topics, documents, seed = (int(values[key]) for key in ("topics", "documents", "seed"))
        shares = [float(share) for share in values["grades"].split("/")]
    except ValueError as error:
        raise BadOption(f"--generate {spec}: {error}") from None
    if min(topics, documents) < 1 or seed < 0 or min(shares) < 0 or not 0 < sum(shares) < np.inf:
        raise BadOption(f"--generate {spec}: counts and shares must be positive")
    return generated_truths(topics, documents, shares, np.random.default_rng(seed))


def _choose_topics(truths: Sequence[GroundTruth], wanted: str | None) -> list[GroundTruth]:
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


def make_plans(arguments: argparse.Namespace) -> list[SimulationPlan]:
    """Make one plan per selector named."""
    names = list(dict.fromkeys(arguments.selector or [DEFAULT_SELECTOR]))
    options = split_options(arguments.option)
    return [
        _plan(arguments, name, own) for name, own in _distribute_options(names, options).items()
    ]


def baseline_plan(arguments: argparse.Namespace) -> SimulationPlan:
    """Make the plan that the others are compared with."""
    return _plan(arguments, BASELINE, {})


def _plan(
    arguments: argparse.Namespace, selector: str, options: dict[str, object]
) -> SimulationPlan:
    crowd = arguments.crowd if arguments.crowd is not None else max(100, arguments.workers)
    return SimulationPlan(
        selector,
        options,
        CrowdSettings(
            crowd,
            arguments.error,
            arguments.error_spread,
            arguments.spammers,
            arguments.left,
            arguments.reversers,
        ),
        arguments.votes,
        ConflictPolicy(arguments.on_conflict),
        arguments.workers,
        arguments.budget,
        arguments.max_documents,
    )


def split_options(texts: Sequence[str]) -> dict[str, str]:
    """Parse KEY=VALUE; each key may occur once."""
    options: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise BadOption(f"--option must be KEY=VALUE, got {text!r}")
        if key in options:
            raise BadOption(f"--option {key} is given twice: {options[key]!r} and {value!r}")
        options[key] = value
    return options


def _distribute_options(
    names: Sequence[str], options: dict[str, str]
) -> dict[str, dict[str, object]]:
    """Parse the options for each selector that has them; one that none has is an error."""
    names_by_selector = {
        name: {option.name for option in fields(find_selector(name).Options)} for name in names
    }
    for key in options:
        if not any(key in own for own in names_by_selector.values()):
            raise UnknownOption(f"none of {', '.join(names)} has an option {key!r}")
    distributed: dict[str, dict[str, object]] = {}
    for name, own in names_by_selector.items():
        texts = {key: text for key, text in options.items() if key in own}
        read = make_options(find_selector(name), texts)
        distributed[name] = {key: getattr(read, key) for key in texts}
    return distributed
