"""What an account at MTurk asks the platform's options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from nextpair.app.platforms.messages import Offer


@dataclass(frozen=True, slots=True)
class HitTypeSpec:
    """What all HITs of a study have in common, as MTurk wants to be told."""

    qualification: Mapping[str, Any]
    common: Mapping[str, Any]
    requirements: Sequence[Mapping[str, Any]]
    notification: Mapping[str, Any] | None

    def hit_type(self, qualification: str) -> dict[str, Any]:
        """Say what the type of the HITs is, which those do not see who are kept away."""
        away = {
            "QualificationTypeId": qualification,
            "Comparator": "DoesNotExist",
            "ActionsGuarded": "DiscoverPreviewAndAccept",
        }
        return {**self.common, "QualificationRequirements": [*self.requirements, away]}


class HitTemplate(Protocol):
    """What the account asks the platform's options."""

    def hit_type_spec(self, offer: Offer) -> HitTypeSpec:
        """Say what all HITs of a study have in common."""

    def hit(self, offer: Offer, hit_type: str, token: str) -> dict[str, Any]:
        """Say what one HIT is."""
