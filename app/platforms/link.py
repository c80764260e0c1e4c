"""A plain link: who opens it judges under the name in it, and is paid elsewhere or not."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints

from nextpair.app.field_types import Flag
from nextpair.app.platforms.base import Platform, required_parameter
from nextpair.app.platforms.messages import (
    Arrival,
    CompletionAction,
    CompletionCode,
    NoAction,
    Receipt,
)

Parameter = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]


class Link(Platform):
    """Send people to `/judge/{study}/enter?worker=NAME`."""

    name: ClassVar[str] = "link"
    worker: Parameter = Field("worker", description="the parameter that names the worker")
    code: Flag = Field(False, description="whether they get a code when they are done")

    def identify(self, query: Mapping[str, str], access: Any) -> Arrival:
        """Read who arrives; a name has one session, to which it can return."""
        worker = required_parameter(query, self.worker)
        return Arrival(worker, worker)

    @property
    def hands_in(self) -> bool:
        """Only for the code."""
        return self.code

    def finish(self, arrival: Arrival, receipt: Receipt, access: Any) -> CompletionAction:
        """Thank them, with a code if they need one."""
        return CompletionCode(receipt.code) if self.code else NoAction()
