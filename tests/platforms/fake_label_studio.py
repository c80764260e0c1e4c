"""A fake Label Studio, as strict as the real one in what is used of it."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree

from platforms.fake_server import FakePlatform, Refused, Reply, Request

Json = dict[str, Any]
PROJECT = {
    "title",
    "description",
    "expert_instruction",
    "show_instruction",
    "maximum_annotations",
    "label_config",
}
HOOK = {"url", "project", "send_payload", "send_for_all_actions", "headers", "is_active"}


class FakeLabelStudio(FakePlatform):
    """A server with one user."""

    def __init__(self, token: str = "0123456789abcdef0123456789abcdef01234567") -> None:
        super().__init__()
        self.token = token
        self.projects: dict[int, Json] = {}
        self.tasks: dict[int, Json] = {}
        self.webhooks: dict[int, Json] = {}
        self._made = 0

    def routes(self) -> Mapping[str, Callable[..., Reply]]:
        """List the routes."""
        return {
            "GET /api/projects/": self._list_projects,
            "POST /api/projects/": self._create_project,
            "POST /api/projects/{project}/import": self._import,
            "GET /api/projects/{project}/export": self._export,
            "GET /api/webhooks/": self._list_webhooks,
            "POST /api/webhooks/": self._create_webhook,
            "DELETE /api/tasks/{task}/": self._delete,
        }

    def admit(self, request: Request) -> None:
        """Require the token."""
        if request.headers.get("authorization") != f"Token {self.token}":
            raise Refused(401, "Invalid token.")

    def refuse(self, refused: Refused) -> Reply:
        """Return a refusal in Label Studio's format."""
        return Reply(refused.reply.status, {"detail": refused.reply.body})

    def _list_projects(self, request: Request) -> Reply:
        size, page = (int(request.query.get(k, d)) for k, d in (("page_size", 30), ("page", 1)))
        found = list(self.projects.values())[(page - 1) * size : page * size]
        return Reply(200, {"count": len(self.projects), "results": found})

    def _create_project(self, request: Request) -> Reply:
        told = request.json
        _want(set(told) <= PROJECT, f"unknown fields {set(told) - PROJECT}")
        _want(3 <= len(told["title"]) <= 50, "title: 3 to 50 characters")
        tags = {one.get("name"): one for one in ElementTree.fromstring(told["label_config"]).iter()}
        for name in tags["pw"].get("toName", "").split(","):
            _want(tags[name].tag == "Text", f"toName {name}")
        self._made += 1
        self.projects[self._made] = {**told, "id": self._made}
        return Reply(201, self.projects[self._made])

    def _import(self, request: Request, project: str) -> Reply:
        config = self._project(project)["label_config"]
        for one in request.json:
            _want(set(one) == {"data"}, "a task has data")
            for name in re.findall(r'value="\$(\w+)"', config):
                _want(isinstance(one["data"].get(name), str), f"the data lack {name}")
            self._made += 1
            task = {"id": self._made, "project": int(project), "annotations": [], **one}
            self.tasks[self._made] = task
        return Reply(201, {"task_count": len(request.json)})

    def _export(self, request: Request, project: str) -> Reply:
        self._project(project)
        _want(request.query.get("exportType") == "JSON", "exportType")
        every = request.query.get("download_all_tasks") == "true"
        mine = (one for one in self.tasks.values() if one["project"] == int(project))
        return Reply(200, [one for one in mine if every or one["annotations"]])

    def _list_webhooks(self, request: Request) -> Reply:
        which = int(request.query["project"])
        return Reply(200, [one for one in self.webhooks.values() if one["project"] == which])

    def _create_webhook(self, request: Request) -> Reply:
        _want(set(request.json) <= HOOK, "unknown fields")
        self._made += 1
        self.webhooks[self._made] = {**request.json, "id": self._made}
        return Reply(201, self.webhooks[self._made])

    def _delete(self, request: Request, task: str) -> Reply:
        if self.tasks.pop(int(task), None) is None:
            raise Refused(404, "No Task matches the given query.")
        return Reply(204)

    def _project(self, name: str) -> Json:
        if int(name) not in self.projects:
            raise Refused(404, "No Project matches the given query.")
        return self.projects[int(name)]

    # -- what annotators do ---------------------------------------------------------------------

    def open_tasks(self) -> list[Json]:
        """List the unanswered tasks."""
        return [one for one in self.tasks.values() if not one["annotations"]]

    def annotate(self, task: int, selected: str, user: int = 1) -> Json:
        """Answer a task, in any word: the real one takes any, too."""
        self._made += 1
        value = {"selected": selected}
        result = {"from_name": "pw", "to_name": "text1,text2", "type": "pairwise", "value": value}
        if selected == "equal":
            value = {"choices": ["equal"]}  # type: ignore[dict-item]
            result = {"from_name": "tie", "to_name": "text1", "type": "choices", "value": value}
        made = {
            "id": self._made,
            "result": [result],
            "was_cancelled": False,
            "completed_by": user,
            "lead_time": 7.3,
            "updated_at": f"2026-11-18T01:00:{self._made:02d}Z",
            "task": task,
        }
        self.tasks[task]["annotations"] = [made]
        return made


def _want(true: object, why: str) -> None:
    if not true:
        raise Refused(400, why)
