"""Attempts at commands as the dispatcher makes them: each has the progress of those before."""

from typing import Any

from nextpair.app.platforms.messages import CommandAttempt

START = 1_800_000_000.0


class AttemptHistory:
    """The progress of a study's commands and its resources, across attempts."""

    def __init__(self) -> None:
        self.resources: dict[str, Any] = {}
        self._progress: dict[str, dict[str, Any]] = {}

    def attempt(self, key: str, *, after: float = 0.0) -> CommandAttempt:
        """Attempt a command for the first time or again, some seconds after the start."""
        is_retry = key in self._progress
        progress = self._progress.setdefault(key, {})
        now, resources = START + after, self.resources
        return CommandAttempt(
            key,
            now,
            is_retry,
            START,
            progress,
            progress.update,
            resources,
            resources.update,
            lambda: now,
        )
