"""Deeds as the runner keeps them: what an attempt has noted, the next one finds."""

from typing import Any

from nextpair.app.platforms.messages import CommandAttempt

START = 1_800_000_000.0


class AttemptHistory:
    """A study's deeds and memory, kept across attempts."""

    def __init__(self) -> None:
        self.memory: dict[str, Any] = {}
        self._kept: dict[str, dict[str, Any]] = {}

    def attempt(self, token: str, *, after: float = 0.0) -> CommandAttempt:
        """Attempt a deed, perhaps again, some seconds after the start."""
        again = token in self._kept
        kept = self._kept.setdefault(token, {})
        now, memory = START + after, self.memory
        return CommandAttempt(
            token, now, again, START, kept, kept.update, memory, memory.update, lambda: now
        )
