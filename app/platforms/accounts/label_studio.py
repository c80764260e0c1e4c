"""Calls to Label Studio."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from nextpair.app.platforms.accounts.http_caller import Caller
from nextpair.app.platforms.accounts.payloads import MOST_PAGES, Node, identifier_in
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.facts import Deed, News, Offer, Submission, Task, TaskAnswer

SECRET_HEADER = "X-Nextpair-Secret"
PROJECT, HOOK = "project", "hook"
TASK, OFFER = "nextpair_task", "nextpair_offer"
PAGE = 100
MOST_RESULTS = 1_000


class Describes(Protocol):
    """What the account asks the platform's options."""

    def project(self, offer: Offer, mark: str) -> dict[str, Any]:
        """Say what the project is."""


class LabelStudioAccount(Account):
    """A user's account."""

    def __init__(self, platform: Describes, access: Any) -> None:
        token = access.token.get_secret_value()
        headers = {"Authorization": f"{access.scheme} {token}"}
        self._api = Caller("Label Studio", access.url, headers, secret=token)
        self._platform = platform
        self._secret = access.hook_secret.get_secret_value()

    def close(self) -> None:
        """Give back the connections."""
        self._api.close()

    def publish(self, offer: Offer, deed: Deed) -> str:
        """Add a batch to the study's project, which is made with the first."""
        project = deed.memory.get(PROJECT) or self._project(offer, deed)
        if self._secret and offer.news_url and HOOK not in deed.memory:
            self._hook(int(project), offer, deed)
        there = self._there(int(project)) if deed.again else set()
        wanted = [one for one in offer.tasks if one.known is None and one.id not in there]
        if wanted:
            data = [{"data": data_of(one, offer.number)} for one in wanted]
            self._api.call("POST", f"api/projects/{project}/import", json=data)
        return f"{project}:{offer.number}"

    def _project(self, offer: Offer, deed: Deed) -> int:
        mark = f"nextpair {deed.token}"
        pages = self._pages("api/projects/")
        found = [one for one in pages if one.mapping().get("description") == mark]
        if found:
            made = found[0]
        else:
            told = self._platform.project(offer, deed.token)
            made = Node(self._api.call("POST", "api/projects/", json=told))
        name = int(made["id"].identifier())
        deed.remember({PROJECT: name})
        return name

    def _pages(self, path: str) -> Iterator[Node]:
        for page in range(1, MOST_PAGES + 1):
            which = {"page": page, "page_size": PAGE}
            found = Node(self._api.call("GET", path, params=which))["results"].items()
            yield from found
            if len(found) < PAGE:
                return

    def _hook(self, project: int, offer: Offer, deed: Deed) -> None:
        listed = self._api.call("GET", "api/webhooks/", params={"project": project})
        told = Node(listed or []).items()
        known = [one["id"].identifier() for one in told if one["url"].value == offer.news_url]
        if not known:
            webhook = {
                "url": offer.news_url,
                "project": project,
                "send_payload": True,
                "send_for_all_actions": True,
                "headers": {SECRET_HEADER: self._secret},
                "is_active": True,
            }
            known = [identifier_in(self._api.call("POST", "api/webhooks/", json=webhook), "id")]
        deed.remember({HOOK: known[0]})

    def _there(self, project: int) -> set[str]:
        return {str(one["data"].mapping().get(TASK)) for one in self._tasks(project)}

    def _tasks(self, project: int) -> list[Node]:
        which = {"exportType": "JSON", "download_all_tasks": "true"}
        found = self._api.call("GET", f"api/projects/{project}/export", params=which)
        return Node(found or [], "tasks").items()

    def expire(self, offer: str, deed: Deed) -> None:
        """Take unanswered pairs out of the project, that nobody answers for nothing."""
        # A task that is gone cannot be found again, so this is safe to repeat.
        project, _, number = offer.partition(":")
        for one in self._tasks(int(project)):
            mine = str(one["data"].mapping().get(OFFER)) == number
            if mine and not one.mapping().get("annotations"):
                self._api.call("DELETE", f"api/tasks/{one['id'].identifier()}/")

    def poll(self, offers: Sequence[str], memory: Mapping[str, Any]) -> Iterator[News]:
        """Read all tasks: webhooks are sent once, and answers can change or vanish."""
        for project in sorted({int(one.partition(":")[0]) for one in offers}):
            told = []
            for task in self._tasks(project):
                data, annotations = task["data"], task.get("annotations")
                if TASK not in data.mapping():
                    continue
                listed = [] if annotations is None else annotations.items()
                found = [answer_in(one, data) for one in listed]
                given = [one for one in found if one is not None and one.answer is not None]
                told += given[-1:] or [TaskAnswer("", data[TASK].identifier(), "", None)]
            yield News(answers=told)

    def accept(self, submission: Submission, deed: Deed) -> None:
        """Label Studio pays nobody."""

    def keep_away(self, worker: str, deed: Deed) -> None:
        """Leave it to the project's owner, who says there who may annotate."""


def data_of(task: Task, number: int) -> dict[str, Any]:
    """Put a question as a task of the template."""
    texts = [_text(one) for one in task.documents]
    topic = "\n".join(filter(None, (task.topic["title"], task.topic["description"])))
    about = topic or task.topic["id"]
    shown = {"topic": about, "text_a": texts[0], "text_b": texts[1]}
    return {TASK: task.id, OFFER: number, **shown}


def _text(document: Mapping[str, str | None]) -> str:
    body = document["text"] or document["html"] or document["url"] or ""
    return "\n\n".join(filter(None, (document["title"], body)))


def answer_in(annotation: Node, data: Node) -> TaskAnswer | None:
    """Read an annotation; None if it is of a task that is not ours."""
    if TASK not in data.mapping():
        return None
    by = annotation["completed_by"]
    who = (by["id"] if isinstance(by.value, Mapping) else by).identifier()
    cancelled = annotation.mapping().get("was_cancelled")
    said = None if cancelled else _preference(annotation["result"])
    content = None if said is None else {"preference": said}
    lead = annotation.get("lead_time")
    seconds = None if lead is None else lead.seconds()
    task = data[TASK].identifier()
    return TaskAnswer(annotation["id"].identifier(), task, f"label-studio:{who}", content, seconds)


def _preference(result: Node) -> str | None:
    """Find what was chosen; its API takes any word, so only ours are taken here."""
    told = [(one.mapping().get("type"), one) for one in result.items(MOST_RESULTS)]
    for kind, one in told:
        if kind == "choices" and one["value"].mapping().get("choices"):
            return "equal"
    for kind, one in told:
        said = one["value"].mapping().get("selected") if kind == "pairwise" else None
        if said in ("left", "right"):
            return str(said)
    return None
