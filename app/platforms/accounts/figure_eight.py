"""Calls to Figure Eight's API v1, which may report an error with the status 200."""

import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from nextpair.app.errors import (
    PlatformDenied,
    PlatformRefused,
    PlatformUncertain,
    PlatformUnreachable,
)
from nextpair.app.platforms.accounts.figure_eight_dialect import Dialect
from nextpair.app.platforms.accounts.figure_eight_units import (
    GOLDEN,
    OFFER,
    SLOT,
    TASK,
    events_in,
    judgments_of,
    worker_in,
)
from nextpair.app.platforms.accounts.http_caller import HttpCaller
from nextpair.app.platforms.accounts.payloads import MAX_PAGES, JsonNode, identifier_in, parse
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.messages import (
    CommandAttempt,
    Offer,
    OfferStatus,
    PlatformEvent,
    Submission,
)

JOB, ORDERED, GOLDS = "job", "ordered", "golds"
ORDERING, PAYING = "ordering", "paying"
_ENDED = ("canceled", "cancelled", "archived", "deleted")
_STOPPED = (*_ENDED, "paused")
PAGE = 1000
MAX_BONUS = 2000
MAX_REPORT_BYTES = 500_000_000
"""Bytes of a report, unpacked; a larger one is refused."""


class JobTemplate(Protocol):
    """What the platform's options say of the job."""

    def job(self, offer: Offer, mark: str) -> dict[str, Any]:
        """Return the definition of the job."""

    def rows(self, offer: Offer, job: str, idempotency_key: str) -> list[dict[str, Any]]:
        """List the units of an offer."""


def error_in(content: Any) -> str | None:
    """Find the error in an answer whose status is 200."""
    if not isinstance(content, dict):
        return None
    error = content.get("error") or content.get("errors")
    if isinstance(error, dict):
        error = error.get("message") or error
    return str(error) if error else None


class FigureEightAccount(Account):
    """A requester's account."""

    def __init__(self, platform: JobTemplate, access: Any, dialect: Dialect) -> None:
        key = access.key.get_secret_value()
        headers = {"Authorization": f"Token token={key}"}
        self._api = HttpCaller(
            "Figure Eight",
            access.api,
            headers,
            secret=key,
            find_error=error_in,
            gap=access.gap_seconds,
        )
        self._platform = platform
        self._dialect = dialect

    def close(self) -> None:
        """Close the connections."""
        self._api.close()

    # -- offers ---------------------------------------------------------------------------------

    def publish(self, offer: Offer, attempt: CommandAttempt) -> str:
        """Add units to the study's one job, which is created and launched with the first offer."""
        job = str(attempt.resources.get(JOB) or self._job(offer, attempt))
        rows = self._platform.rows(offer, job, attempt.idempotency_key)
        uploaded = self._uploaded(job) if attempt.is_retry else set()
        known_golds = set(attempt.resources.get(GOLDS, ()))
        golds = [row for row in rows if GOLDEN in row and row[TASK] not in known_golds]
        questions = [row for row in rows if GOLDEN not in row]
        self._upload(job, [row for row in (*questions, *golds) if _name(row) not in uploaded])
        if golds:
            check = {"check": "preference", "with": "preference_gold", "convert_units": "true"}
            self._api.call("PUT", f"jobs/{job}/gold.json", data=check)
            attempt.save_resources(
                {GOLDS: sorted({*attempt.resources.get(GOLDS, ()), *map(_name, golds)})}
            )
        if not attempt.resources.get(ORDERED):
            self._order(job, len(questions), attempt)
        return f"{job}:{offer.number}"

    def _job(self, offer: Offer, attempt: CommandAttempt) -> str:
        definition = self._platform.job(offer, attempt.idempotency_key)
        job = self._created_before(definition) if attempt.is_retry else None
        if job is None:
            job = identifier_in(self._api.call("POST", "jobs.json", json={"job": definition}), "id")
        if (
            JsonNode(self._api.call("GET", f"jobs/{job}.json")).mapping().get("cml")
            != definition["cml"]
        ):
            # It reports success and stores nothing where something is missing.
            raise PlatformRefused("Figure Eight has not kept the job's form: see its instructions")
        attempt.save_resources({JOB: job})
        return job

    def _created_before(self, definition: Mapping[str, Any]) -> str | None:
        mark = self._dialect.marked_in
        for page in range(1, MAX_PAGES + 1):
            params = {"page": page}
            jobs = JsonNode(self._api.call("GET", "jobs.json", params=params) or []).items()
            for node in jobs:
                if node.mapping().get(mark) == definition[mark]:
                    return node["id"].identifier()
            if not jobs:
                break
        return None

    def _upload(self, job: str, rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            self._api.call(
                self._dialect.uploads_by,
                f"jobs/{job}/upload.json",
                params={"force": "true"},
                content="\n".join(json.dumps(row) for row in rows),
                headers={"Content-Type": "application/json"},
            )

    def _order(self, job: str, units: int, attempt: CommandAttempt) -> None:
        """Launch the job; units that are added later are launched automatically."""
        order = {"debit[units_count]": str(units), "channels[]": list(self._dialect.channels)}
        if not (attempt.is_retry and self._is_launched(job, attempt)):
            attempt.save_progress({ORDERING: True})
            self._api.call("POST", f"jobs/{job}/orders.json", data=order)
        attempt.save_resources({ORDERED: True})

    def _is_launched(self, job: str, attempt: CommandAttempt) -> bool:
        definition = JsonNode(self._api.call("GET", f"jobs/{job}.json")).mapping()
        launched = self._dialect.is_launched(definition)
        if launched is None and ORDERING in attempt.progress:
            attempt.save_resources({ORDERED: True})
            raise PlatformDenied(
                "Figure Eight does not say whether the job was launched: look at it there, "
                "launch it if it was not, and publish again"
            )
        return bool(launched)

    def _units(self, job: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for page in range(1, MAX_PAGES + 1):
            params = {"page": page, "limit": PAGE}
            units = JsonNode(self._api.call("GET", f"jobs/{job}/units.json", params=params) or {})
            for name in units.mapping():
                yield JsonNode(name).identifier(), units[name].mapping()
            if len(units.mapping()) < PAGE:
                return

    def _uploaded(self, job: str) -> set[str]:
        return {_name(data) for _, data in self._units(job)}

    def expire(self, offer: str, attempt: CommandAttempt) -> None:
        """Cancel the offer's units that nobody has answered."""
        job, _, number = offer.partition(":")
        for name, data in self._units(job):
            if str(data.get(OFFER)) == number and not judgments_of(self._unit(job, name)):
                self._api.call("POST", f"jobs/{job}/units/{name}/cancel.json")

    def offer_statuses(self, offers: Sequence[str]) -> Iterator[OfferStatus]:
        """Read the state of each job: a person may cancel or pause it there."""
        for job in sorted({offer.partition(":")[0] for offer in offers}):
            node = JsonNode(self._api.call("GET", f"jobs/{job}.json")).get("state")
            state = "" if node is None else node.identifier()
            message = f"job {job} is {state} at Figure Eight" if state in _STOPPED else ""
            for offer in offers:
                if offer.partition(":")[0] == job:
                    is_open, by_person = state not in _ENDED, bool(message)
                    yield OfferStatus(offer, is_open, by_person, message)

    def _unit(self, job: str, name: str) -> JsonNode:
        return JsonNode(self._api.call("GET", f"jobs/{job}/units/{name}.json"))

    # -- events ---------------------------------------------------------------------------------

    def poll(self, offers: Sequence[str], resources: Mapping[str, Any]) -> Iterator[PlatformEvent]:
        """Read each job's report, and request a new one; one under way is read next time."""
        for job in sorted({offer.partition(":")[0] for offer in offers}):
            kind = {"type": self._dialect.report}
            report = self._api.send("GET", f"jobs/{job}.csv", params=kind)
            if report.status_code == 202:
                continue
            for unit in _lines(report.content):
                for event in events_in(unit):
                    yield PlatformEvent(None, event.submissions, event.answers)
            if self._dialect.regenerate:
                self._api.call("POST", f"jobs/{job}/{self._dialect.regenerate}", params=kind)

    # -- decisions ------------------------------------------------------------------------------

    def accept(self, submission: Submission, attempt: CommandAttempt) -> None:
        """Do nothing: Figure Eight pays as soon as a worker hands in."""

    def reject(self, submission: Submission, reason: str, attempt: CommandAttempt) -> None:
        """Reject the contributor's work in this job."""
        job, worker = self._worker_of(submission)
        self._api.call("PUT", f"jobs/{job}/workers/{worker}/reject.json", data={"reason": reason})

    def bonus(
        self, submission: Submission, amount: int, reason: str, attempt: CommandAttempt
    ) -> None:
        """Pay a bonus at most once: the API cannot tell later whether it was paid."""
        if amount > MAX_BONUS:
            raise PlatformRefused(f"Figure Eight pays {MAX_BONUS} cents at once, and no more")
        if attempt.progress.get(PAYING):
            raise PlatformUncertain(
                "the bonus may have been paid: look at the job, and pay by hand"
            )
        job, worker = self._worker_of(submission)
        attempt.save_progress({PAYING: True})
        paid = {"amount": str(amount)}
        try:
            self._api.call("POST", f"jobs/{job}/workers/{worker}/bonus.json", data=paid)
        except PlatformUnreachable as error:
            raise PlatformUncertain(f"{error}; the bonus may have been paid") from None

    def _worker_of(self, submission: Submission) -> tuple[str, str]:
        job = (submission.offer or "").partition(":")[0]
        return job, self._worker_at(job, submission.session)

    def _worker_at(self, job: str, slot: str) -> str:
        for name, data in self._units(job):
            if data.get(SLOT) == slot:
                for judgment in judgments_of(self._unit(job, name)):
                    return worker_in(judgment)
        raise PlatformRefused("Figure Eight does not say who this was")

    def keep_away(self, worker: str, attempt: CommandAttempt) -> None:
        """Flag a contributor in the study's job."""
        job = str(attempt.resources.get(JOB, ""))
        kind, _, name = worker.partition(":")
        contributor = self._worker_at(job, name) if kind == "slot" else name
        data = {"flag": "does not pass the study's checks"}
        verb = "/flag" if self._dialect.flags_by == "verb" else ""
        self._api.call("PUT", f"jobs/{job}/workers/{contributor}{verb}.json", data=data)


def _name(unit: Mapping[str, Any]) -> str:
    return str(unit.get(TASK) or unit.get(SLOT))


def _lines(content: bytes) -> Iterator[JsonNode]:
    """Read a report: lines of JSON in a ZIP archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MAX_REPORT_BYTES:
                raise PlatformUnreachable("Figure Eight's report is larger than can be meant")
            for name in archive.namelist():
                for line in archive.read(name).decode().splitlines():
                    yield parse(line)
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError):
        raise PlatformUnreachable("Figure Eight's report cannot be read") from None
