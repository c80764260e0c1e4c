"""Calls to Figure Eight's API v1, which may say 200 and mean no."""

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
    judgments_of,
    news_in,
    worker_in,
)
from nextpair.app.platforms.accounts.http_caller import Caller
from nextpair.app.platforms.accounts.payloads import MOST_PAGES, Node, identifier_in, parse
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.facts import Deed, News, Offer, OfferStanding, Submission

JOB, ORDERED, GOLDS = "job", "ordered", "golds"
ORDERING, PAYING = "ordering", "paying"
_ENDED = ("canceled", "cancelled", "archived", "deleted")
_STOPPED = (*_ENDED, "paused")
PAGE = 1000
MOST_BONUS = 2000
LARGEST = 500_000_000
"""Bytes of a report that are read; a larger one is not what was asked for."""


class Describes(Protocol):
    """What the account asks the platform's options."""

    def job(self, offer: Offer, mark: str) -> dict[str, Any]:
        """Say what the job is."""

    def rows(self, offer: Offer, job: str, token: str) -> list[dict[str, Any]]:
        """List the units of an offer."""


def wrong_in(told: Any) -> str | None:
    """Find what is wrong in an answer that says 200."""
    if not isinstance(told, dict):
        return None
    found = told.get("error") or told.get("errors")
    if isinstance(found, dict):
        found = found.get("message") or found
    return str(found) if found else None


class FigureEightAccount(Account):
    """A requester's account."""

    def __init__(self, platform: Describes, access: Any, dialect: Dialect) -> None:
        key = access.key.get_secret_value()
        headers = {"Authorization": f"Token token={key}"}
        self._api = Caller(
            "Figure Eight",
            access.api,
            headers,
            secret=key,
            wrong=wrong_in,
            gap=access.gap_seconds,
        )
        self._platform = platform
        self._dialect = dialect

    def close(self) -> None:
        """Give back the connections."""
        self._api.close()

    # -- offers ---------------------------------------------------------------------------------

    def publish(self, offer: Offer, deed: Deed) -> str:
        """Add units to the study's one job, which is made and launched with the first."""
        job = str(deed.memory.get(JOB) or self._job(offer, deed))
        rows = self._platform.rows(offer, job, deed.token)
        there = self._there(job) if deed.again else set()
        known = set(deed.memory.get(GOLDS, ()))
        golds = [one for one in rows if GOLDEN in one and one[TASK] not in known]
        new = [one for one in rows if GOLDEN not in one]
        self._upload(job, [one for one in (*new, *golds) if _name(one) not in there])
        if golds:
            check = {"check": "preference", "with": "preference_gold", "convert_units": "true"}
            self._api.call("PUT", f"jobs/{job}/gold.json", data=check)
            deed.remember({GOLDS: sorted({*deed.memory.get(GOLDS, ()), *map(_name, golds)})})
        if not deed.memory.get(ORDERED):
            self._order(job, len(new), deed)
        return f"{job}:{offer.number}"

    def _job(self, offer: Offer, deed: Deed) -> str:
        told = self._platform.job(offer, deed.token)
        job = self._made_before(told) if deed.again else None
        if job is None:
            job = identifier_in(self._api.call("POST", "jobs.json", json={"job": told}), "id")
        if Node(self._api.call("GET", f"jobs/{job}.json")).mapping().get("cml") != told["cml"]:
            # It says that all is well, and keeps nothing, where it misses something.
            raise PlatformRefused("Figure Eight has not kept the job's form: see its instructions")
        deed.remember({JOB: job})
        return job

    def _made_before(self, told: Mapping[str, Any]) -> str | None:
        mark = self._dialect.marked_in
        for page in range(1, MOST_PAGES + 1):
            found = Node(self._api.call("GET", "jobs.json", params={"page": page}) or []).items()
            for one in found:
                if one.mapping().get(mark) == told[mark]:
                    return one["id"].identifier()
            if not found:
                break
        return None

    def _upload(self, job: str, rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            self._api.call(
                self._dialect.uploads_by,
                f"jobs/{job}/upload.json",
                params={"force": "true"},
                content="\n".join(json.dumps(one) for one in rows),
                headers={"Content-Type": "application/json"},
            )

    def _order(self, job: str, units: int, deed: Deed) -> None:
        """Launch the job; what is added later is launched by itself."""
        told = {"debit[units_count]": str(units), "channels[]": list(self._dialect.channels)}
        if not (deed.again and self._is_launched(job, deed)):
            deed.keep({ORDERING: True})
            self._api.call("POST", f"jobs/{job}/orders.json", data=told)
        deed.remember({ORDERED: True})

    def _is_launched(self, job: str, deed: Deed) -> bool:
        about = Node(self._api.call("GET", f"jobs/{job}.json")).mapping()
        found = self._dialect.is_launched(about)
        if found is None and ORDERING in deed.kept:
            deed.remember({ORDERED: True})
            raise PlatformDenied(
                "Figure Eight does not say whether the job was launched: look at it there, "
                "launch it if it was not, and publish again"
            )
        return bool(found)

    def _units(self, job: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for page in range(1, MOST_PAGES + 1):
            which = {"page": page, "limit": PAGE}
            found = Node(self._api.call("GET", f"jobs/{job}/units.json", params=which) or {})
            for name in found.mapping():
                yield Node(name).identifier(), found[name].mapping()
            if len(found.mapping()) < PAGE:
                return

    def _there(self, job: str) -> set[str]:
        return {_name(data) for _, data in self._units(job)}

    def expire(self, offer: str, deed: Deed) -> None:
        """Cancel the offer's units that nobody has answered."""
        job, _, number = offer.partition(":")
        for name, data in self._units(job):
            if str(data.get(OFFER)) == number and not judgments_of(self._unit(job, name)):
                self._api.call("POST", f"jobs/{job}/units/{name}/cancel.json")

    def standing(self, offers: Sequence[str]) -> Iterator[OfferStanding]:
        """Ask for each job, for a person may cancel it there, or pause it."""
        for job in sorted({one.partition(":")[0] for one in offers}):
            told = Node(self._api.call("GET", f"jobs/{job}.json")).get("state")
            state = "" if told is None else told.identifier()
            message = f"job {job} is {state} at Figure Eight" if state in _STOPPED else ""
            for offer in offers:
                if offer.partition(":")[0] == job:
                    is_open, by_person = state not in _ENDED, bool(message)
                    yield OfferStanding(offer, is_open, by_person, message)

    def _unit(self, job: str, name: str) -> Node:
        return Node(self._api.call("GET", f"jobs/{job}/units/{name}.json"))

    # -- news -----------------------------------------------------------------------------------

    def poll(self, offers: Sequence[str], memory: Mapping[str, Any]) -> Iterator[News]:
        """Read each job's report, and ask for a new one; one that is being made is read later."""
        for job in sorted({one.partition(":")[0] for one in offers}):
            kind = {"type": self._dialect.report}
            report = self._api.send("GET", f"jobs/{job}.csv", params=kind)
            if report.status_code == 202:
                continue
            for unit in _lines(report.content):
                for news in news_in(unit):
                    yield News(None, news.submissions, news.answers)
            if self._dialect.regenerate:
                self._api.call("POST", f"jobs/{job}/{self._dialect.regenerate}", params=kind)

    # -- decisions ------------------------------------------------------------------------------

    def accept(self, submission: Submission, deed: Deed) -> None:
        """Leave it: Figure Eight has paid when it was handed in."""

    def reject(self, submission: Submission, reason: str, deed: Deed) -> None:
        """Reject what the contributor did in this job."""
        job, worker = self._worker_of(submission)
        self._api.call("PUT", f"jobs/{job}/workers/{worker}/reject.json", data={"reason": reason})

    def bonus(self, submission: Submission, amount: int, reason: str, deed: Deed) -> None:
        """Pay a bonus; nobody can ask later whether it was paid, so in doubt it is not repeated."""
        if amount > MOST_BONUS:
            raise PlatformRefused(f"Figure Eight pays {MOST_BONUS} cents at once, and no more")
        if deed.kept.get(PAYING):
            raise PlatformUncertain(
                "the bonus may have been paid: look at the job, and pay by hand"
            )
        job, worker = self._worker_of(submission)
        deed.keep({PAYING: True})
        paid = {"amount": str(amount)}
        try:
            self._api.call("POST", f"jobs/{job}/workers/{worker}/bonus.json", data=paid)
        except PlatformUnreachable as error:
            raise PlatformUncertain(f"{error}; the bonus may have been paid") from None

    def _worker_of(self, submission: Submission) -> tuple[str, str]:
        job = (submission.offer or "").partition(":")[0]
        return job, self._who(job, submission.session)

    def _who(self, job: str, slot: str) -> str:
        for name, data in self._units(job):
            if data.get(SLOT) == slot:
                for judgment in judgments_of(self._unit(job, name)):
                    return worker_in(judgment)
        raise PlatformRefused("Figure Eight does not say who this was")

    def keep_away(self, worker: str, deed: Deed) -> None:
        """Flag a contributor in the study's job."""
        job = str(deed.memory.get(JOB, ""))
        kind, _, name = worker.partition(":")
        who = self._who(job, name) if kind == "slot" else name
        told = {"flag": "does not pass the study's checks"}
        verb = "/flag" if self._dialect.flags_by == "verb" else ""
        self._api.call("PUT", f"jobs/{job}/workers/{who}{verb}.json", data=told)


def _name(unit: Mapping[str, Any]) -> str:
    return str(unit.get(TASK) or unit.get(SLOT))


def _lines(content: bytes) -> Iterator[Node]:
    """Read a report: lines of JSON, in a ZIP."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(one.file_size for one in archive.infolist()) > LARGEST:
                raise PlatformUnreachable("Figure Eight's report is larger than can be meant")
            for name in archive.namelist():
                for line in archive.read(name).decode().splitlines():
                    yield parse(line)
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError):
        raise PlatformUnreachable("Figure Eight's report cannot be read") from None
