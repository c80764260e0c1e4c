"""Invited people, each with a judging link of their own."""

from collections.abc import Mapping
from typing import Any, ClassVar

from nextpair.app.errors import Uninvited
from nextpair.app.platforms.base import Platform
from nextpair.app.platforms.messages import Arrival


class Invited(Platform):
    """Admit only those with a session that was opened with a key, as on the dashboard."""

    name: ClassVar[str] = "invited"

    @property
    def hands_in(self) -> bool:
        """No: no platform waits for it."""
        return False

    def identify(self, query: Mapping[str, str], access: Any) -> Arrival:
        """Admit nobody by an address alone."""
        raise Uninvited()
