"""The HIT type of a study, as the platform's options define it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from nextpair.app.platforms.messages import Offer


@dataclass(frozen=True, slots=True)
class HitTypeSpec:
    """What all HITs of a study have in common, as parameters of MTurk's calls."""

    qualification: Mapping[str, Any]
    common: Mapping[str, Any]
    requirements: Sequence[Mapping[str, Any]]
    notification: Mapping[str, Any] | None

    def hit_type(self, qualification: str) -> dict[str, Any]:
        """Return the HIT type; workers with the qualification do not see its HITs."""
        excluded = {
            "QualificationTypeId": qualification,
            "Comparator": "DoesNotExist",
            "ActionsGuarded": "DiscoverPreviewAndAccept",
        }
        return {**self.common, "QualificationRequirements": [*self.requirements, excluded]}


class HitTemplate(Protocol):
    """What the platform's options say of the HITs."""

    def hit_type_spec(self, offer: Offer) -> HitTypeSpec:
        """Return what all HITs of a study have in common."""

    def hit(self, offer: Offer, hit_type: str, idempotency_key: str) -> dict[str, Any]:
        """Return the parameters of one HIT."""
