"""The installation's settings of MTurk."""

import re

from pydantic import Field, SecretStr, field_validator

from nextpair.app.platforms.base import Access, origin_of


class MTurkAccess(Access):
    """Keys and addresses; without keys, boto3 looks for them in its usual places."""

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
    def _split(cls, value: object) -> object:
        sites = re.split(r"[,\s]+", value.strip()) if isinstance(value, str) else value
        return tuple(origin_of(str(site)) for site in sites) if isinstance(sites, list) else sites
