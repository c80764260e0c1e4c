"""People whom someone invites, each by a judging link of their own; nobody comes uninvited."""

from collections.abc import Mapping
from typing import Any, ClassVar

from nextpair.app.errors import Uninvited
from nextpair.app.platforms.base import Platform
from nextpair.app.platforms.facts import Arrival


class Invited(Platform):
    """Let in only whoever holds a session that was opened with a key, as on the dashboard."""

    name: ClassVar[str] = "invited"

    @property
    def hands_in(self) -> bool:
        """Nothing: nobody waits for it."""
        return False

    def identify(self, query: Mapping[str, str], access: Any) -> Arrival:
        """Let nobody in by an address alone."""
        raise Uninvited()
