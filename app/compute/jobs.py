"""A job as a value: it is pickled to another process, and equal jobs share one computation."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nextpair.app.runtime.service_context import ServiceContext
from nextpair.storage.topic_sizes import sizes


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of a job: headers, and a body whose chunks are computed as they are read."""

    chunks: Iterable[bytes]
    headers: Mapping[str, str] = field(default_factory=dict)


Computation = Callable[..., JobResult]
"""A module-level function of the service, the time, and the arguments of the job."""


@dataclass(frozen=True, slots=True)
class Job:
    """One computation to be done, here or in a helper process.

    Parameters
    ----------
    arguments
        Hashable; part of the cache key.
    study, topic
        What it reads: one topic, or all topics of the study.
    cost_factor
        How many times as long it takes as a ranking.
    warm
        Whether it needs the reported order, which the helper then computes and keeps.
    """

    computation: Computation
    study: str
    topic: str | None = None
    arguments: tuple[Any, ...] = ()
    cost_factor: float = 1.0
    warm: bool = True

    @property
    def cache_key(self) -> tuple[Any, ...]:
        """Jobs with the same key have the same result at the same version of their inputs."""
        return (self.computation.__qualname__, self.study, self.topic, *self.arguments)

    def run(self, service: ServiceContext, now: float) -> JobResult:
        """Compute."""
        return self.computation(service, now, self.study, self.topic, *self.arguments)


@dataclass(frozen=True, slots=True)
class JobInputs:
    """What a job reads, how much of it, and at which version.

    Parameters
    ----------
    topics
        The ids of its topics.
    entries
        How many documents and judgments these have.
    version
        The versions of the study and of each topic.
    """

    topics: tuple[int, ...]
    entries: int
    version: tuple[int, ...]


def find_inputs(service: ServiceContext, job: Job) -> JobInputs:
    """Look up the inputs of a job."""
    study_id = service.study_id(job.study)
    topic_id = None if job.topic is None else service.topic_id(job.study, job.topic)
    with service.database.read() as connection:
        study_version, rows = sizes(connection, study_id)
    topics = [row for row in rows if topic_id in (None, row.id)]
    return JobInputs(
        tuple(topic.id for topic in topics),
        sum(topic.documents + topic.position for topic in topics),
        (study_version, *(number for topic in topics for number in (topic.id, topic.version))),
    )
