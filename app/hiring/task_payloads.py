"""An offer's questions as a platform shows them, with those whose answers are known."""

from collections.abc import Iterable, Mapping

from nextpair.app.pages.sanitising import sanitise
from nextpair.app.platforms.facts import Task
from nextpair.app.runtime.service import Service
from nextpair.app.studies.study import Study
from nextpair.storage import topics
from nextpair.storage.rows import AssignmentRow, DocumentRow, TopicRow


def describe(service: Service, rows: Iterable[AssignmentRow]) -> list[Task]:
    """Put questions as tasks, with their documents from left to right."""
    found = []
    for row in rows:
        with service.database.read() as connection:
            topic = topics.get_topic(connection, row.topic_id)
        shown = service.texts.of(row.topic_id, row.sides)
        documents = [_document(service, one) for one in shown]
        found.append(Task(f"{row.topic_id}-{row.number}", _topic(topic), documents))
    return found


def known_tasks(service: Service, study: Study) -> list[Task]:
    """Put the questions whose answers are known as tasks."""
    with service.database.read() as connection:
        open_topics = topics.topic_versions(connection, study.id)
    found = []
    for topic_id, _ in open_topics:
        with service.look(topic_id) as live:
            golds, topic = list(live.golds), live.row
        for gold in golds:
            shown = service.texts.of(topic_id, gold.pair)
            documents = [_document(service, one) for one in shown]
            name = f"gold-{topic_id}-{gold.number}"
            found.append(Task(name, _topic(topic), documents, gold.answer))
    return found


def _topic(topic: TopicRow) -> Mapping[str, str]:
    return {
        "id": topic.name,
        "title": topic.title,
        "description": topic.description,
        "narrative": topic.narrative,
    }


def _document(service: Service, row: DocumentRow) -> Mapping[str, str | None]:
    images = service.settings.remote_images
    html = row.html and sanitise(row.html, images=images)
    return {"id": row.name, "title": row.title, "text": row.text, "html": html, "url": row.url}
