"""`nextpair.simulate`: what `nextpair simulate` does, for programs and notebooks."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from nextpair.app.formats.features import read_features
from nextpair.app.formats.trec import Grades, read_qrels
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.results import Simulation, measured, played
from nextpair.app.simulation.runs import BASELINE, Plan
from nextpair.app.simulation.studies import Study
from nextpair.app.simulation.truths import Graded, graded_truths
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
    """Play out a study with simulated workers, and measure what each selector costs.

    The same arguments give the same result as the same words of `nextpair simulate`.

    Parameters
    ----------
    grades
        What is true: a file of TREC qrels; or topic, then document, to its grade.
    selectors
        The public name of a selector, or several names, or names with options.
    features
        Files with features of the documents: CSV, or TREC runs.
    crowd
        What the workers are like: 100 who do not err unless said otherwise.
    votes
        Workers per pair.
    workers
        How many answer at once.
    budget
        Judgments per document after which a topic stops.
    max_documents
        Judge a random sample of this many documents per topic.
    baseline
        Whether quick-sort is run as well, and the others compared with it.
    repeat
        How often everything is repeated, with seeds `seed`, `seed + 1` and so on.
    jobs
        Processes to use. A program that asks for more than one guards its main module with
        `if __name__ == "__main__":`, for it is imported in each process.

    >>> result = simulate({"tea": {"a": 2, "b": 1, "c": 1, "d": 0}}, "uniform")
    >>> result.finished, [row["selector"] for row in result.rows()]
    (True, ['quick-sort', 'uniform'])
    """
    _check(repeat=(repeat, 1), seed=(seed, 0), jobs=(jobs, 1))
    common = (crowd or CrowdSettings(), votes, on_conflict, workers, budget, max_documents)
    plans = [Plan(name, options, *common) for name, options in _read(selectors).items()]
    against = Plan(BASELINE, {}, *common) if baseline else None
    study = Study(
        _truths(grades, features),
        played(plans, against),
        repeat=repeat,
        seed=seed,
        with_curves=baseline,
    )
    for _ in study.play(jobs):
        pass
    return measured(study, plans, against)


def _check(**counts: tuple[int, int]) -> None:
    for name, (value, least) in counts.items():
        if value < least:
            raise BadOption(f"{name} must be at least {least}, got {value}")


def _read(selectors: str | Iterable[str] | Mapping[str, Options]) -> dict[str, Options]:
    """Read the options of each selector, refusing those it does not have."""
    if isinstance(selectors, str):
        selectors = [selectors]
    given = selectors if isinstance(selectors, Mapping) else {name: {} for name in selectors}
    if not given:
        raise BadOption("name at least one selector")
    read = {name: make_options(find_selector(name), options) for name, options in given.items()}
    return {
        name: {option: getattr(read[name], option) for option in options}
        for name, options in given.items()
    }


def _truths(
    grades: File | Mapping[str, Mapping[str, int]], features: Sequence[File]
) -> list[Graded]:
    table = read_features([Path(file) for file in features])
    found: Grades
    if isinstance(grades, Mapping):
        found = {topic: dict(of_topic) for topic, of_topic in grades.items()}
    else:
        found = read_qrels(Path(grades))
    if not found:
        raise BadInput("there is no topic to judge")
    if table.grades:
        raise BadInput("the features have a column of grades, which are given already")
    if table.names and not table.knows(found):
        raise BadInput("the features have no document of any of the topics")
    return graded_truths(found, table)
