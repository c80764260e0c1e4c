"""A fake Figure Eight as clients describe it: errors with status 200, 202, silent refusals."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode

from platforms.fake_server import FakePlatform, Refused, Reply, Request

Json = dict[str, Any]
FIELDS = set(
    "title instructions cml css js judgments_per_unit units_per_assignment gold_per_assignment "
    "max_judgments_per_worker payment_cents auto_order included_countries webhook_uri "
    "send_judgments_webhook options".split()
)


class FakeFigureEight(FakePlatform):
    """Jobs, units, judgments, reports, bonuses and flags."""

    def __init__(self, key: str = "f8-key", hook_token: str = "test-webhook-token") -> None:
        super().__init__()
        self.key, self.hook_token = key, hook_token
        self.jobs: dict[str, Json] = {}
        self.units: dict[str, Json] = {}
        self.orders: list[Json] = []
        self.bonuses: list[tuple[str, str, int]] = []
        self.flagged: list[str] = []
        self.rejected: list[str] = []
        self._reports: dict[str, str] = {}
        self._building: set[str] = set()
        self._made = 632000

    def routes(self) -> Mapping[str, Callable[..., Reply]]:
        """List the routes."""
        return {
            "GET /v1/jobs.json": self._list_jobs,
            "POST /v1/jobs.json": self._create_job,
            "GET /v1/jobs/{job}.json": lambda request, job: Reply(200, self._job(job)),
            "GET /v1/jobs/{job}.csv": self._report,
            "POST /v1/jobs/{job}/regenerate": self._regenerate,
            "POST /v1/jobs/{job}/upload.json": self._upload,
            "PUT /v1/jobs/{job}/gold.json": self._gold,
            "POST /v1/jobs/{job}/orders.json": self._order,
            "GET /v1/jobs/{job}/units.json": self._list_units,
            "GET /v1/jobs/{job}/units/{unit}.json": self._get_unit,
            "POST /v1/jobs/{job}/units/{unit}/cancel.json": self._cancel,
            "POST /v1/jobs/{job}/workers/{worker}/bonus.json": self._bonus,
            "PUT /v1/jobs/{job}/workers/{worker}/flag.json": self._flag,
            "PUT /v1/jobs/{job}/workers/{worker}/reject.json": self._reject,
        }

    def admit(self, request: Request) -> None:
        """Require the key in the header; in an address, it would get into logs."""
        if request.headers.get("authorization") != f"Token token={self.key}":
            raise Refused(401, "You must authenticate before accessing this resource.")
        assert "key" not in request.query

    def refuse(self, refused: Refused) -> Reply:
        """Return a refusal, mostly with status 200."""
        status = refused.reply.status
        return Reply(200 if status == 400 else status, {"error": {"message": refused.reply.body}})

    def _list_jobs(self, request: Request) -> Reply:
        page = int(request.query.get("page", 1))
        return Reply(200, list(self.jobs.values())[(page - 1) * 10 : page * 10])

    def _create_job(self, request: Request) -> Reply:
        told = request.json["job"]
        _want(set(told) <= FIELDS, f"unknown {set(told) - FIELDS}")
        whole = told.get("title") and told.get("instructions") and "required" in told["cml"]
        # Where something is missing it says that all is well, and keeps nothing.
        kept = told if whole else {}
        name = self._new()
        self.jobs[name] = {**kept, "id": int(name), "order_approved": False, "state": "unordered"}
        return Reply(200, self.jobs[name])

    def _upload(self, request: Request, job: str) -> Reply:
        self._job(job)
        if request.body.lstrip().startswith(b"["):
            raise Refused(500, "a JSON array is not what is wanted")
        _want(request.headers["content-type"] == "application/json", "type")
        _want(request.query.get("force") == "true", "new columns need force")
        for line in request.body.decode().split("\n"):
            name = self._new()
            self.units[name] = {
                "id": int(name),
                "job_id": int(job),
                "data": json.loads(line),
                "state": "new",
                "results": {"judgments": []},
            }
        return Reply(202, {"notice": "your data is being processed"})

    def _gold(self, request: Request, job: str) -> Reply:
        told = _form(request)
        for unit in self._of(job):
            if told["with"] in unit["data"]:
                unit["state"] = "golden"
                unit["data"][told["with"]] = [unit["data"][told["with"]]]
        return Reply(200, {"success": {"message": "converted"}})

    def _order(self, request: Request, job: str) -> Reply:
        told = parse_qs(request.body.decode())
        _want(int(told["debit[units_count]"][0]) > 0 and told["channels[]"], "order")
        self._job(job).update(order_approved=True, state="running")
        self.orders.append({"job": job, **told})
        return Reply(200, {"id": len(self.orders)})

    def _list_units(self, request: Request, job: str) -> Reply:
        size, page = (int(request.query[k]) for k in ("limit", "page"))
        _want(size <= 1000, "limit")
        found = [(str(one["id"]), one["data"]) for one in self._of(job)]
        return Reply(200, dict(found[(page - 1) * size : page * size]))

    def _get_unit(self, request: Request, job: str, unit: str) -> Reply:
        return Reply(200, self.units[unit])

    def _cancel(self, request: Request, job: str, unit: str) -> Reply:
        self.units[unit]["state"] = "canceled"
        return Reply(200, {"notice": "canceled"})

    def _bonus(self, request: Request, job: str, worker: str) -> Reply:
        amount = int(_form(request)["amount"])
        _want(0 < amount <= 2000, "amount")
        self.bonuses.append((job, worker, amount))
        return Reply(200, {"success": {"message": "paid"}})

    def _flag(self, request: Request, job: str, worker: str) -> Reply:
        _want(_form(request).get("flag"), "flag")
        self.flagged.append(worker)
        return Reply(200, {})

    def _reject(self, request: Request, job: str, worker: str) -> Reply:
        self.rejected.append(worker)
        return Reply(200, {})

    def _report(self, request: Request, job: str) -> Reply:
        _want(request.query.get("type") == "json", "type")
        self._job(job)
        if job not in self._reports or job in self._building:
            self._building.discard(job)
            self._reports.setdefault(job, self._lines(job))
            return Reply(202, {"notice": "the report is being generated"})
        return Reply(200, self.report_of(job))

    def report_of(self, job: str) -> bytes:
        """Return the report that was made last."""
        return _zip(f"job_{job}.json", self._reports[job])

    def _regenerate(self, request: Request, job: str) -> Reply:
        self._reports[job] = self._lines(job)
        self._building.add(job)
        return Reply(200, {"notice": "regenerating"})

    def _lines(self, job: str) -> str:
        return "\n".join(json.dumps(one) for one in self._of(job))

    def is_reported(self, unit: Json) -> bool:
        """Say whether the next report has the current state of a unit."""
        job = str(unit["job_id"])
        return job not in self._building and json.dumps(unit) in self._reports.get(job, "")

    def _new(self) -> str:
        self._made += 1
        return str(self._made)

    def _job(self, name: str) -> Json:
        if name not in self.jobs:
            raise Refused(404, "We couldn't find what you were looking for.")
        return self.jobs[name]

    def _of(self, job: str) -> list[Json]:
        return [one for one in self.units.values() if one["job_id"] == int(job)]

    def outcome_at_platform(self) -> Json:
        """Return what exists and what was paid, without the ids of jobs and units."""
        told = [(one["data"], one) for one in self.units.values()]
        names = [str(data.get("nextpair_task") or data["slot"]) for data, _ in told]
        return {
            "jobs": len(self.jobs),
            "orders": len(self.orders),
            "units": sorted(
                (data.get("nextpair_offer", 0), one["state"], len(one["results"]["judgments"]))
                for data, one in told
            ),
            "twice": len(names) - len(set(names)),
            "bonuses": sorted((worker, amount) for _, worker, amount in self.bonuses),
            "flagged": sorted(set(self.flagged)),
            "rejected": sorted(set(self.rejected)),
        }

    # -- what people do ------------------------------------------------------------------------

    def move(self, job: str, state: str) -> None:
        """Let a person cancel, pause or resume a job; a canceled one is judged no further."""
        self._job(job)["state"] = state
        for unit in self._of(job) if state == "canceled" else ():
            if unit["state"] == "new":
                unit["state"] = "canceled"

    # -- what contributors do -------------------------------------------------------------------

    def open_units(self) -> list[Json]:
        """List the launched, unanswered units, without test questions."""
        return [one for one in self.units.values() if one["state"] == "new"]

    def judge(self, unit: Json, data: Json, worker: int = 30220001, **more: object) -> Json:
        """Answer a unit."""
        judgment = {
            "id": int(self._new()),
            "started_at": "2026-11-18T01:00:00+00:00",
            "created_at": "2026-11-18T01:00:20+00:00",
            "tainted": False,
            "rejected": None,
            "worker_id": worker,
            "data": data,
            **more,
        }
        unit["results"]["judgments"].append(judgment)
        unit["state"] = "finalized"
        return judgment

    def hook(self, unit: Any, *, secret: str | None = None, signal: str = "unit_complete") -> bytes:
        """Sign a webhook, with the token unless another secret is given."""
        payload = json.dumps(unit)
        signature = hashlib.sha1((payload + (secret or self.hook_token)).encode()).hexdigest()
        told = {"signal": signal, "payload": payload, "signature": signature}
        return urlencode(told).encode()


def _zip(name: str, text: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(name, text)
    return made.getvalue()


def _form(request: Request) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(request.body.decode()).items()}


def _want(true: object, why: str) -> None:
    if not true:
        raise Refused(400, why)
