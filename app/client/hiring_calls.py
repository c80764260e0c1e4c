"""Calls about platforms: what is offered there, done and paid."""

from collections.abc import Iterator, Mapping
from typing import Any

from nextpair.app.client.calls import Calls, at
from nextpair.app.schemas.hiring import ActivityOut, ActivityPage, HiringOut, PlanOut
from nextpair.storage.hiring_rows import HiringState


class Hiring(Calls):
    """Calls about platforms: what is offered there, done and paid."""

    def hiring(self, study: str) -> HiringOut:
        """Say how a study's hiring stands."""
        return self._call(HiringOut, "GET", f"/v1/studies/{at(study)}/hiring")

    def plan_hiring(self, study: str, changes: Mapping[str, Any] | None = None) -> PlanOut:
        """Say what hiring would create and cost, perhaps with other settings."""
        path = f"/v1/studies/{at(study)}/hiring/plan"
        return self._call(PlanOut, "POST", path, dict(changes or {}))

    def set_hiring(self, study: str, state: HiringState) -> HiringOut:
        """Let a study hire, pause or stop."""
        return self._call(HiringOut, "POST", f"/v1/studies/{at(study)}/hiring", {"state": state})

    def activity(self, study: str) -> Iterator[ActivityOut]:
        """Yield what was done at a study's platform, oldest first."""
        path, after = f"/v1/studies/{at(study)}/activity", 0
        while True:
            query = {"after": str(after), "limit": "1000"}
            page = self._call(ActivityPage, "GET", path, query=query)
            yield from page.items
            if page.next is None:
                return
            after = page.next
