"""What only the installation says of MTurk."""

import re

from pydantic import Field, SecretStr, field_validator

from nextpair.app.platforms.base import Access, origin_of


class MTurkAccess(Access):
    """Keys, and where to send them; left out, boto3 looks for keys where it always does."""

    access_key_id: str = ""
    secret_access_key: SecretStr = SecretStr("")
    region: str = "us-east-1"
    endpoint: str = ""
    queue_endpoint: str = ""
    attempts: int = Field(4, ge=1, le=20, description="of a call that fails in passing")
    submit_sites: tuple[str, ...] = ()
    frame_sites: tuple[str, ...] = ()
    signed: bool = Field(True, description="whether only what SNS has signed is taken")
    certificate_sites: tuple[str, ...] = Field((), description="of SNS; left out, AWS's own")

    @field_validator("submit_sites", "frame_sites", "certificate_sites", mode="before")
    @classmethod
    def _split(cls, given: object) -> object:
        sites = re.split(r"[,\s]+", given.strip()) if isinstance(given, str) else given
        return tuple(origin_of(str(one)) for one in sites) if isinstance(sites, list) else sites
