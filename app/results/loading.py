"""Answer sets of topics, read from the judgment log."""

from collections.abc import Sequence

from nextpair.app.results.answer_set import AnswerSet
from nextpair.app.runtime.projection import TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.selectors.state.judgments import Outcome
from nextpair.storage import judgments
from nextpair.storage.rows import JudgmentRow, Purpose


def load_answer_set(service: ServiceContext, projection: TopicProjection) -> AnswerSet:
    """Return the answers that count, up to the projection's version, to aggregate them."""
    head = projection.head
    with service.database.read() as connection:
        study = service.study(connection, head.study_id, head.study_version)
        rows = judgments.counting(connection, projection.topic.id)
    return answer_set_of(study, projection, [row for row in rows if row.number <= head.position])


def answer_set_of(
    study: Study, projection: TopicProjection, rows: Sequence[JudgmentRow]
) -> AnswerSet:
    """Make the answer set of a topic from its judgments that count."""
    work = [row for row in rows if row.purpose == Purpose.WORK]
    return AnswerSet(
        study.design,
        len(projection.state.documents),
        work,
        _gold_judgments(study, projection, rows),
    )


def _gold_judgments(
    study: Study, projection: TopicProjection, rows: Sequence[JudgmentRow]
) -> list[tuple[JudgmentRow, Outcome | float]]:
    known = {
        gold.pair: study.design.known_answer(gold.answer)
        for gold in projection.golds
        if not gold.quiz
    }
    return [(row, known[row.first, row.second]) for row in rows if row.purpose == Purpose.TRAP]
