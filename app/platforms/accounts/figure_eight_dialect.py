"""What clients of Figure Eight do differently, or nobody could check, and is an option for that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MARK = 12
"""How much of a mark is shown where people see it."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a job is spoken of.

    Parameters
    ----------
    launched
        The field that says that a job was launched, or field=value; empty if none does.
    marked_in
        The field by which a job is found again whose making nobody was told of.
    regenerate, report
        What asks for a new report, empty if nothing does; and of what type reports are.
    """

    channels: Sequence[str]
    uploads_by: str
    flags_by: str
    launched: str
    marked_in: str
    regenerate: str
    report: str

    def is_launched(self, job: Mapping[str, Any]) -> bool | None:
        """Say whether a job was launched; None if it does not tell."""
        name, _, value = self.launched.partition("=")
        if not name or name not in job:
            return None
        return str(job[name]) == value if value else bool(job[name])

    def marked(self, job: Mapping[str, Any], mark: str) -> dict[str, Any]:
        """Mark a job as ours."""
        if self.marked_in == "title":
            return {**job, "title": f"{job['title']} ({mark[:MARK]})"}
        return {**job, self.marked_in: f"/* nextpair {mark} */"}
