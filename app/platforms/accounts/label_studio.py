"""Calls to Label Studio."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from nextpair.app.platforms.accounts.http_caller import HttpCaller
from nextpair.app.platforms.accounts.payloads import MAX_PAGES, JsonNode, identifier_in
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.messages import (
    CommandAttempt,
    Offer,
    PlatformEvent,
    Submission,
    Task,
    TaskAnswer,
)

SECRET_HEADER = "X-Nextpair-Secret"
PROJECT, WEBHOOK = "project", "hook"
TASK, OFFER = "nextpair_task", "nextpair_offer"
PAGE = 100
MAX_RESULTS = 1_000


class ProjectTemplate(Protocol):
    """What the platform's options say of the project."""

    def project(self, offer: Offer, mark: str) -> dict[str, Any]:
        """Return the definition of the project."""


class LabelStudioAccount(Account):
    """A user's account."""

    def __init__(self, platform: ProjectTemplate, access: Any) -> None:
        token = access.token.get_secret_value()
        headers = {"Authorization": f"{access.scheme} {token}"}
        self._api = HttpCaller("Label Studio", access.url, headers, secret=token)
        self._platform = platform
        self._secret = access.hook_secret.get_secret_value()

    def close(self) -> None:
        """Close the connections."""
        self._api.close()

    def publish(self, offer: Offer, attempt: CommandAttempt) -> str:
        """Import a batch into the study's project, which is created with the first one."""
        project = attempt.resources.get(PROJECT) or self._project(offer, attempt)
        if self._secret and offer.webhook_url and WEBHOOK not in attempt.resources:
            self._subscribe(int(project), offer, attempt)
        imported = self._imported(int(project)) if attempt.is_retry else set()
        missing = [
            task for task in offer.tasks if task.gold_answer is None and task.id not in imported
        ]
        if missing:
            data = [{"data": data_of(task, offer.number)} for task in missing]
            self._api.call("POST", f"api/projects/{project}/import", json=data)
        return f"{project}:{offer.number}"

    def _project(self, offer: Offer, attempt: CommandAttempt) -> int:
        mark = f"nextpair {attempt.idempotency_key}"
        projects = self._pages("api/projects/")
        marked = [node for node in projects if node.mapping().get("description") == mark]
        if marked:
            project = marked[0]
        else:
            definition = self._platform.project(offer, attempt.idempotency_key)
            project = JsonNode(self._api.call("POST", "api/projects/", json=definition))
        project_id = int(project["id"].identifier())
        attempt.save_resources({PROJECT: project_id})
        return project_id

    def _pages(self, path: str) -> Iterator[JsonNode]:
        for page in range(1, MAX_PAGES + 1):
            params = {"page": page, "page_size": PAGE}
            results = JsonNode(self._api.call("GET", path, params=params))["results"].items()
            yield from results
            if len(results) < PAGE:
                return

    def _subscribe(self, project: int, offer: Offer, attempt: CommandAttempt) -> None:
        listed = self._api.call("GET", "api/webhooks/", params={"project": project})
        webhooks = JsonNode(listed or []).items()
        ids = [
            node["id"].identifier() for node in webhooks if node["url"].value == offer.webhook_url
        ]
        if not ids:
            webhook = {
                "url": offer.webhook_url,
                "project": project,
                "send_payload": True,
                "send_for_all_actions": True,
                "headers": {SECRET_HEADER: self._secret},
                "is_active": True,
            }
            ids = [identifier_in(self._api.call("POST", "api/webhooks/", json=webhook), "id")]
        attempt.save_resources({WEBHOOK: ids[0]})

    def _imported(self, project: int) -> set[str]:
        return {str(task["data"].mapping().get(TASK)) for task in self._tasks(project)}

    def _tasks(self, project: int) -> list[JsonNode]:
        params = {"exportType": "JSON", "download_all_tasks": "true"}
        exported = self._api.call("GET", f"api/projects/{project}/export", params=params)
        return JsonNode(exported or [], "tasks").items()

    def expire(self, offer: str, attempt: CommandAttempt) -> None:
        """Delete unanswered pairs from the project, so that nobody answers them in vain."""
        # A deleted task is not found again, so this is idempotent.
        project, _, number = offer.partition(":")
        for task in self._tasks(int(project)):
            mine = str(task["data"].mapping().get(OFFER)) == number
            if mine and not task.mapping().get("annotations"):
                self._api.call("DELETE", f"api/tasks/{task['id'].identifier()}/")

    def poll(self, offers: Sequence[str], resources: Mapping[str, Any]) -> Iterator[PlatformEvent]:
        """Read all tasks: webhooks are sent at most once, and answers can change or be deleted."""
        for project in sorted({int(offer.partition(":")[0]) for offer in offers}):
            answers: list[TaskAnswer] = []
            for task in self._tasks(project):
                data, annotations = task["data"], task.get("annotations")
                if TASK not in data.mapping():
                    continue
                nodes = [] if annotations is None else annotations.items()
                read = [answer_in(node, data) for node in nodes]
                valid = [answer for answer in read if answer and answer.answer is not None]
                withdrawn = TaskAnswer("", data[TASK].identifier(), "", None)
                answers += valid[-1:] or [withdrawn]
            yield PlatformEvent(answers=answers)

    def accept(self, submission: Submission, attempt: CommandAttempt) -> None:
        """Label Studio pays nobody."""

    def keep_away(self, worker: str, attempt: CommandAttempt) -> None:
        """Leave it to the project's owner, who says there who may annotate."""


def data_of(task: Task, number: int) -> dict[str, Any]:
    """Convert a question into a task of the template."""
    texts = [_text(document) for document in task.documents]
    topic = "\n".join(filter(None, (task.topic["title"], task.topic["description"])))
    about = topic or task.topic["id"]
    shown = {"topic": about, "text_a": texts[0], "text_b": texts[1]}
    return {TASK: task.id, OFFER: number, **shown}


def _text(document: Mapping[str, str | None]) -> str:
    body = document["text"] or document["html"] or document["url"] or ""
    return "\n\n".join(filter(None, (document["title"], body)))


def answer_in(annotation: JsonNode, data: JsonNode) -> TaskAnswer | None:
    """Read an annotation; None if its task is not ours."""
    if TASK not in data.mapping():
        return None
    author = annotation["completed_by"]
    user = (author["id"] if isinstance(author.value, Mapping) else author).identifier()
    cancelled = annotation.mapping().get("was_cancelled")
    preference = None if cancelled else _preference(annotation["result"])
    content = None if preference is None else {"preference": preference}
    lead = annotation.get("lead_time")
    seconds = None if lead is None else lead.seconds()
    task = data[TASK].identifier()
    return TaskAnswer(annotation["id"].identifier(), task, f"label-studio:{user}", content, seconds)


def _preference(result: JsonNode) -> str | None:
    """Find what was chosen; the API accepts any word, so only ours are taken here."""
    typed = [(node.mapping().get("type"), node) for node in result.items(MAX_RESULTS)]
    for kind, node in typed:
        if kind == "choices" and node["value"].mapping().get("choices"):
            return "equal"
    for kind, node in typed:
        selected = node["value"].mapping().get("selected") if kind == "pairwise" else None
        if selected in ("left", "right"):
            return str(selected)
    return None
