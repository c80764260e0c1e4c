"""A fake Prolific from its field list: refuses unknown fields, wrong transitions and keys."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from platforms.fake_prolific_people import Workspace
from platforms.fake_server import Refused, Reply, Request

Json = dict[str, Any]
API = "/api/v1"
DEVICES = {"desktop", "tablet", "mobile"}
WORKSPACE = "workspace-1"
REQUIRED = {
    "name": str,
    "description": str,
    "external_study_url": str,
    "prolific_id_option": str,
    "total_available_places": int,
    "estimated_completion_time": int,
    "reward": int,
    "completion_codes": list,
}
OPTIONAL = {
    "internal_name": str,
    "device_compatibility": list,
    "filters": list,
    "maximum_allowed_time": int,
    "project": str,
    "submissions_config": dict,
    "is_external_study_url_secure": bool,
}
ACTIONS = ("AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW", "REQUEST_RETURN", "DYNAMIC_PAYMENT")
FILTERS = ("age", "fluent-languages", "participant_group_blocklist", "previous_studies_blocklist")
CATEGORIES = ("TOO_QUICKLY", "FAILED_CHECK", "LOW_EFFORT", "NO_CODE", "BAD_CODE", "OTHER")


class FakeProlific(Workspace):
    """Prolific's API."""

    def routes(self) -> Mapping[str, Callable[..., Reply]]:
        """List the routes."""
        found: dict[str, Callable[..., Reply]] = {
            "GET studies/": lambda request: _listed(self.studies),
            "POST studies/": self._create_study,
            "GET projects/{project}/studies/": self._studies_of,
            "GET studies/{study}/": lambda request, study: Reply(200, self.study(study)),
            "POST studies/{study}/transition/": self._move_study,
            "GET submissions/": self._list_submissions,
            "POST submissions/bonus-payments/": self._set_up_bonus,
            "GET submissions/{name}/": lambda request, name: Reply(200, self.submission(name)),
            "POST submissions/{name}/transition/": self._move_submission,
            "POST bulk-bonus-payments/{name}/pay/": self._pay,
            "GET participant-groups/": self._list_groups,
            "POST participant-groups/": self._create_group,
            "POST participant-groups/{name}/participants/": self._join,
            "GET hooks/subscriptions/": self._list_subscriptions,
            "POST hooks/subscriptions/": self._subscribe,
            "POST hooks/subscriptions/{name}/": self._confirm,
        }
        return {route.replace(" ", f" {API}/", 1): serve for route, serve in found.items()}

    def admit(self, request: Request) -> None:
        """Require the token in the header."""
        if request.headers.get("authorization") != f"Token {self.token}":
            raise Refused(401, "Invalid token header.")

    def refuse(self, refused: Refused) -> Reply:
        """Return a refusal in Prolific's format."""
        status, why = refused.reply.status, refused.reply.body
        about = {"status": status, "error_code": 140000, "title": "Error", "detail": why}
        return Reply(status, {"error": about})

    def _create_study(self, request: Request) -> Reply:
        told = request.json
        _check(told, REQUIRED, OPTIONAL)
        for tag in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"):
            _want(f"{{{{%{tag}%}}}}" in told["external_study_url"], f"the url lacks {tag}")
        _want(told["prolific_id_option"] == "url_parameters", "prolific_id_option")
        _want(told["reward"] > 0 and told["total_available_places"] > 0, "reward, places")
        minutes = told["estimated_completion_time"]
        least = 2 + 2 * minutes + 2 * math.sqrt(minutes)
        _want(told.get("maximum_allowed_time", least) >= least, "maximum_allowed_time: too short")
        _want(set(told.get("device_compatibility", ())) <= DEVICES, "device_compatibility")
        for code in told["completion_codes"]:
            _check(code, {"code": str, "code_type": str, "actions": list}, {"actor": str})
            _want(all(one["action"] in ACTIONS for one in code["actions"]), "action")
        for one in told.get("filters", ()):
            _want(one["filter_id"] in FILTERS, f"no filter {one['filter_id']}")
            _want(one.get("selected_values") != [], "a filter of nothing")
        name = self.new("study")
        self.studies[name] = {**told, "id": name, "status": "UNPUBLISHED"}
        return Reply(201, self.studies[name])

    def _studies_of(self, request: Request, project: str) -> Reply:
        return _listed({k: v for k, v in self.studies.items() if v.get("project") == project})

    def _move_study(self, request: Request, study: str) -> Reply:
        told = request.json
        _check(told, {"action": str}, {})
        try:
            self.move(study, told["action"])
        except PermissionError as error:
            raise Refused(400, str(error)) from None
        return Reply(200, self.study(study))

    def _list_submissions(self, request: Request) -> Reply:
        _want("study" in request.query, "study is required")
        size, page = (int(request.query.get(k, d)) for k, d in (("page_size", 20), ("page", 1)))
        study = request.query["study"]
        found = [
            {
                "id": one["id"],
                "participant_id": one["participant"],
                "status": one["status"],
                "started_at": one["started_at"],
                "has_siblings": False,
                "study_code": one["entered_code"],
            }
            for one in self.submissions.values()
            if one["study_id"] == study
        ]
        return Reply(200, {"results": found[(page - 1) * size : page * size]})

    def _move_submission(self, request: Request, name: str) -> Reply:
        found, told = self.submission(name), request.json
        _check(told, {"action": str}, {"message": str, "rejection_category": str})
        after = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}.get(told["action"])
        _want(after is not None, "action")
        if after == "REJECTED":
            _want(len(told.get("message", "")) >= 100, "message: at least 100 characters")
            _want(told.get("rejection_category") in CATEGORIES, "rejection_category")
        if found["status"] != after:
            _want(found["status"] == "AWAITING REVIEW", f"it is {found['status']}")
            found["status"] = after
        return Reply(200, found)

    def _set_up_bonus(self, request: Request) -> Reply:
        told = request.json
        _check(told, {"study_id": str, "csv_bonuses": str}, {})
        lines = []
        _want(told["csv_bonuses"].count("\n") <= 200, "at most 200 at once")
        for line in told["csv_bonuses"].strip().split("\n"):
            name, _, amount = line.partition(",")
            _want(self.submission(name)["study_id"] == told["study_id"], "another study's")
            _want("." in amount, "an amount in pounds or dollars, such as 1.50")
            lines.append((name, round(float(amount) * 100)))
        made = self.new("bonus")
        self.payments[made] = lines
        return Reply(201, {"id": made, "amount": sum(n for _, n in lines)})

    def _pay(self, request: Request, name: str) -> Reply:
        _want(name in self.payments, "no such payment")
        # Each time: Prolific warns that this is not idempotent.
        self.unsettled += self.payments[name]
        return Reply(202)

    def _list_groups(self, request: Request) -> Reply:
        _want(request.query.get("workspace_id") == WORKSPACE, "workspace_id")
        return _listed(self.groups)

    def _create_group(self, request: Request) -> Reply:
        told = request.json
        _check(told, {"name": str, "workspace_id": str}, {"description": str})
        name = self.new("group")
        self.groups[name] = {**told, "id": name, "is_deleted": False, "members": []}
        return Reply(201, self.groups[name])

    def _join(self, request: Request, name: str) -> Reply:
        told = request.json
        _check(told, {"participant_ids": list}, {})
        members = self.groups[name]["members"]
        members += [one for one in told["participant_ids"] if one not in members]
        return Reply(200, {"results": [{"participant_id": one} for one in members]})

    def _list_subscriptions(self, request: Request) -> Reply:
        wanted = request.query.get("is_enabled", "true") == "true"
        found = self.subscriptions.items()
        return _listed({k: v for k, v in found if v["is_enabled"] is wanted})

    def _subscribe(self, request: Request) -> Reply:
        told = request.json
        _check(told, {"workspace_id": str, "event_type": str, "target_url": str}, {})
        _want(told["target_url"].startswith("https://"), "target_url must be public https")
        name = self.new("hook")
        self.subscriptions[name] = {**told, "id": name, "is_enabled": False}
        return Reply(201, self.subscriptions[name], {"X-Hook-Secret": f"confirm-{name}"})

    def _confirm(self, request: Request, name: str) -> Reply:
        _check(request.json, {"secret": str}, {})
        _want(request.json["secret"] == f"confirm-{name}", "secret")
        self.subscriptions[name]["is_enabled"] = True
        return Reply(200, self.subscriptions[name])


def _listed(found: Mapping[str, Json]) -> Reply:
    return Reply(200, {"results": list(found.values())})


def _want(true: object, why: str) -> None:
    if not true:
        raise Refused(400, why)


def _check(told: Json, required: Mapping[str, type], optional: Mapping[str, type]) -> None:
    known = {**required, **optional}
    for name, value in told.items():
        _want(name in known, f"{name}: unknown field")
        _want(type(value) is known[name], f"{name}: must be {known[name].__name__}")
    for name in required:
        _want(name in told, f"{name}: this field is required")
