"""`nextpair.simulate`: `nextpair simulate` as a function, for programs and notebooks."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from nextpair.app.formats.features import read_features
from nextpair.app.formats.trec import Grades, read_qrels
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.ground_truth import GradedTruth, graded_truths
from nextpair.app.simulation.results import Simulation, all_plans, collect_results
from nextpair.app.simulation.runs import BASELINE, SimulationPlan
from nextpair.app.simulation.studies import SimulatedStudy
from nextpair.selectors.base import find_selector, make_options
from nextpair.selectors.errors import BadInput, BadOption
from nextpair.selectors.state.settings import DEFAULT_SELECTOR, ConflictPolicy

File = str | PathLike[str]
Options = Mapping[str, object]


def simulate(
    grades: File | Mapping[str, Mapping[str, int]],
    selectors: str | Iterable[str] | Mapping[str, Options] = DEFAULT_SELECTOR,
    *,
    features: Sequence[File] = (),
    crowd: CrowdSettings | None = None,
    votes: int = 1,
    on_conflict: ConflictPolicy = ConflictPolicy.OLDER_WINS,
    workers: int = 1,
    budget: float | None = None,
    max_documents: int | None = None,
    baseline: bool = True,
    repeat: int = 1,
    seed: int = 0,
    jobs: int = 1,
) -> Simulation:
    """Simulate a study with simulated workers, and measure how many judgments each selector needs.

    The same arguments give the same result as the same options of `nextpair simulate`.

    Parameters
    ----------
    grades
        The ground truth: a file of TREC qrels; or topic, then document, to its grade.
    selectors
        The public name of a selector, or several names, or names with options.
    features
        Files with features of the documents: CSV, or TREC runs.
    crowd
        The crowd of workers; by default 100 without errors.
    votes
        Workers per pair.
    workers
        How many workers answer concurrently.
    budget
        Judgments per document after which a topic stops.
    max_documents
        The size of a random sample of documents per topic.
    baseline
        Whether quick-sort is run as well, and the others are compared with it.
    repeat
        The number of repeats, with the seeds `seed`, `seed + 1` and so on.
    jobs
        Processes to use. With more than one, the calling program must guard its main module with
        `if __name__ == "__main__":`, since each process imports it.

    >>> result = simulate({"tea": {"a": 2, "b": 1, "c": 1, "d": 0}}, "uniform")
    >>> result.finished, [row["selector"] for row in result.rows()]
    (True, ['quick-sort', 'uniform'])
    """
    _check(repeat=(repeat, 1), seed=(seed, 0), jobs=(jobs, 1))
    common = (crowd or CrowdSettings(), votes, on_conflict, workers, budget, max_documents)
    plans = [SimulationPlan(name, options, *common) for name, options in _read(selectors).items()]
    against = SimulationPlan(BASELINE, {}, *common) if baseline else None
    study = SimulatedStudy(
        _truths(grades, features),
        all_plans(plans, against),
        repeat=repeat,
        seed=seed,
        with_curves=baseline,
    )
    for _ in study.run(jobs):
        pass
    return collect_results(study, plans, against)


def _check(**counts: tuple[int, int]) -> None:
    for name, (value, least) in counts.items():
        if value < least:
            raise BadOption(f"{name} must be at least {least}, got {value}")


def _read(selectors: str | Iterable[str] | Mapping[str, Options]) -> dict[str, Options]:
    """Parse the options of each selector; one that it does not have is an error."""
    if isinstance(selectors, str):
        selectors = [selectors]
    options_by_name = (
        selectors if isinstance(selectors, Mapping) else {name: {} for name in selectors}
    )
    if not options_by_name:
        raise BadOption("name at least one selector")
    read = {
        name: make_options(find_selector(name), options)
        for name, options in options_by_name.items()
    }
    return {
        name: {option: getattr(read[name], option) for option in options}
        for name, options in options_by_name.items()
    }


def _truths(
    grades: File | Mapping[str, Mapping[str, int]], features: Sequence[File]
) -> list[GradedTruth]:
    table = read_features([Path(file) for file in features])
    grades_by_topic: Grades
    if isinstance(grades, Mapping):
        grades_by_topic = {topic: dict(of_topic) for topic, of_topic in grades.items()}
    else:
        grades_by_topic = read_qrels(Path(grades))
    if not grades_by_topic:
        raise BadInput("there is no topic to judge")
    if table.grades:
        raise BadInput("the features have a column of grades, which are given already")
    if table.names and not table.knows(grades_by_topic):
        raise BadInput("the features have no document of any of the topics")
    return graded_truths(grades_by_topic, table)
