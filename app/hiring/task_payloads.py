"""Questions as tasks for a platform that shows them itself, with gold questions."""

from collections.abc import Iterable, Mapping

from nextpair.app.pages.sanitiser import sanitise
from nextpair.app.platforms.messages import Task
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.storage import topics
from nextpair.storage.rows import AssignmentRow, DocumentRow, TopicRow


def build_tasks(service: ServiceContext, rows: Iterable[AssignmentRow]) -> list[Task]:
    """Convert questions into tasks, with their documents from left to right."""
    tasks = []
    for row in rows:
        with service.database.read() as connection:
            topic = topics.get_topic(connection, row.topic_id)
        shown = service.documents.get(row.topic_id, row.sides)
        documents = [_document(service, document) for document in shown]
        tasks.append(Task(f"{row.topic_id}-{row.number}", _topic(topic), documents))
    return tasks


def gold_tasks(service: ServiceContext, study: Study) -> list[Task]:
    """Convert the study's gold questions into tasks."""
    with service.database.read() as connection:
        open_topics = topics.topic_versions(connection, study.id)
    tasks = []
    for topic_id, _ in open_topics:
        with service.projection_of(topic_id) as projection:
            golds, topic = list(projection.golds), projection.topic
        for gold in golds:
            shown = service.documents.get(topic_id, gold.pair)
            documents = [_document(service, document) for document in shown]
            name = f"gold-{topic_id}-{gold.number}"
            tasks.append(Task(name, _topic(topic), documents, gold.answer))
    return tasks


def _topic(topic: TopicRow) -> Mapping[str, str]:
    return {
        "id": topic.name,
        "title": topic.title,
        "description": topic.description,
        "narrative": topic.narrative,
    }


def _document(service: ServiceContext, row: DocumentRow) -> Mapping[str, str | None]:
    images = service.settings.remote_images
    html = row.html and sanitise(row.html, images=images)
    return {"id": row.name, "title": row.title, "text": row.text, "html": html, "url": row.url}
