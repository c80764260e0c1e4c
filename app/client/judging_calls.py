"""Calls that ask and answer."""

from collections.abc import Mapping
from typing import Any

from nextpair.app.client.calls import Calls, at
from nextpair.app.schemas.judging import AssignmentOut, JudgmentOut, NextOut, Skipped, VerdictOut
from nextpair.app.schemas.sessions import SessionOut


class Judging(Calls):
    """Calls that ask and answer."""

    def next(
        self,
        study: str,
        worker: str,
        *,
        topic: str | None = None,
        count: int = 1,
        documents: bool = True,
    ) -> NextOut:
        """Get the pairs that teach most now."""
        body = {"worker": worker, "topic": topic, "count": count, "documents": documents}
        return self._call(NextOut, "POST", f"/v1/studies/{at(study)}/next", body, creates=True)

    def judge(
        self,
        assignment: AssignmentOut,
        answer: str | Mapping[str, Any],
        *,
        seconds: float | None = None,
    ) -> JudgmentOut:
        """Answer an assignment, as the study's design has it.

        Parameters
        ----------
        answer
            By the names of its parts; or, of a preference, only left, right, equal, equally_good
            or equally_bad.
        """
        body = {
            "answer": {"preference": answer} if isinstance(answer, str) else dict(answer),
            "worker": assignment.worker,
            "attempt": assignment.attempt,
            "seconds": seconds,
        }
        return self._call(JudgmentOut, "POST", f"/v1/assignments/{assignment.id}/judgment", body)

    def assignment(self, assignment: str) -> AssignmentOut:
        """Show an assignment as it stands."""
        return self._call(AssignmentOut, "GET", f"/v1/assignments/{at(assignment)}")

    def skip(self, assignment: AssignmentOut, reason: str | None = None) -> Skipped:
        """Give a question back; it goes to someone else."""
        body = {"worker": assignment.worker, "attempt": assignment.attempt, "reason": reason}
        return self._call(Skipped, "POST", f"/v1/assignments/{assignment.id}/skip", body)

    def undo(self, assignment: AssignmentOut) -> AssignmentOut:
        """Take the worker's last answer back, and get the same question again."""
        body = {"worker": assignment.worker, "attempt": assignment.attempt}
        return self._call(AssignmentOut, "POST", f"/v1/assignments/{assignment.id}/undo", body)

    def open_session(
        self, study: str, worker: str, *, topic: str | None = None, count: int | None = None
    ) -> SessionOut:
        """Open a judging session: its `url` is where the worker goes."""
        body = {"worker": worker, "topic": topic, "count": count}
        return self._call(SessionOut, "POST", f"/v1/studies/{at(study)}/sessions", body)

    def show_understanding(self, study: str, topic: str, worker: str, choice: str) -> VerdictOut:
        """Answer a topic's understanding question for a worker."""
        path = f"/v1/studies/{at(study)}/topics/{at(topic)}/understanding"
        return self._call(VerdictOut, "POST", path, {"worker": worker, "choice": choice})
