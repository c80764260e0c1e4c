"""A heavy call as a value: it is sent to another process, and two equal ones are the same call."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nextpair.app.runtime.service_context import ServiceContext
from nextpair.storage.topic_sizes import sizes


@dataclass(frozen=True, slots=True)
class Answer:
    """What a job comes to: headers, and a body whose parts are computed as they are read."""

    chunks: Iterable[bytes]
    headers: Mapping[str, str] = field(default_factory=dict)


UseCase = Callable[..., Answer]
"""A function of a module, given the service, the time, and the arguments of the job."""


@dataclass(frozen=True, slots=True)
class Job:
    """One heavy call.

    Parameters
    ----------
    arguments
        Hashable, and the same for the same question.
    study, topic
        What it reads: one topic, or all of the study's.
    factor
        How many times as long it takes as a ranking.
    warm
        Whether it needs the reported order.
    """

    use_case: UseCase
    study: str
    topic: str | None = None
    arguments: tuple[Any, ...] = ()
    factor: float = 1.0
    warm: bool = True

    @property
    def question(self) -> tuple[Any, ...]:
        """What is asked: calls with the same question have the same answer at the same version."""
        return (self.use_case.__qualname__, self.study, self.topic, *self.arguments)

    def run(self, service: ServiceContext, now: float) -> Answer:
        """Compute."""
        return self.use_case(service, now, self.study, self.topic, *self.arguments)


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a job reads, and at which version.

    Parameters
    ----------
    topics
        The ids of its topics.
    entries
        Documents and judgments.
    version
        The versions of the study and of each topic.
    """

    topics: tuple[int, ...]
    entries: int
    version: tuple[int, ...]


def extent_of(service: ServiceContext, job: Job) -> Extent:
    """Look up how much a job reads."""
    study_id = service.study_id(job.study)
    only = None if job.topic is None else service.topic_id(job.study, job.topic)
    with service.database.read() as connection:
        study_version, found = sizes(connection, study_id)
    wanted = [one for one in found if only in (None, one.id)]
    return Extent(
        tuple(one.id for one in wanted),
        sum(one.documents + one.position for one in wanted),
        (study_version, *(number for one in wanted for number in (one.id, one.version))),
    )
