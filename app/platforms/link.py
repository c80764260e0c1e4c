"""A plain link: whoever has it judges under the name in it, and is paid elsewhere or not."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints

from nextpair.app.field_types import Flag
from nextpair.app.platforms.base import Platform, wanted
from nextpair.app.platforms.facts import Arrival, Code, Finish, Nothing, Receipt

Parameter = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]


class Link(Platform):
    """Send people to `/judge/{study}/enter?worker=NAME`."""

    name: ClassVar[str] = "link"
    worker: Parameter = Field("worker", description="the parameter that names the worker")
    code: Flag = Field(False, description="whether they get a code when they are done")

    def identify(self, query: Mapping[str, str], access: Any) -> Arrival:
        """Say who comes; one name has one session, to which it can come back."""
        worker = wanted(query, self.worker)
        return Arrival(worker, worker)

    @property
    def hands_in(self) -> bool:
        """Only for the code."""
        return self.code

    def finish(self, arrival: Arrival, receipt: Receipt, access: Any) -> Finish:
        """Thank them, with a code if they need one."""
        return Code(receipt.code) if self.code else Nothing()
