"""Details of Figure Eight's API that clients disagree on or could not check: options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MARK_LENGTH = 12
"""Characters of a mark in a job's title, where people see it."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The variant of the API that a job uses.

    Parameters
    ----------
    launched
        The field that says that a job was launched, or field=value; empty if none does.
    marked_in
        The field with a mark by which a job is found again whose creation was not answered.
    regenerate, report
        The path that requests a new report, empty if there is none; and the type of reports.
    """

    channels: Sequence[str]
    uploads_by: str
    flags_by: str
    launched: str
    marked_in: str
    regenerate: str
    report: str

    def is_launched(self, job: Mapping[str, Any]) -> bool | None:
        """Say whether a job was launched; None if its fields do not say."""
        name, _, value = self.launched.partition("=")
        if not name or name not in job:
            return None
        return str(job[name]) == value if value else bool(job[name])

    def marked(self, job: Mapping[str, Any], mark: str) -> dict[str, Any]:
        """Add a mark to a job, by which it is found again."""
        if self.marked_in == "title":
            return {**job, "title": f"{job['title']} ({mark[:MARK_LENGTH]})"}
        return {**job, self.marked_in: f"/* nextpair {mark} */"}
