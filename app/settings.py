"""How one installation runs: the environment variables NEXTPAIR_*, read once."""

from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints
from pydantic_settings import BaseSettings, SettingsConfigDict

MB = 1_000_000
Origin = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9.:/*\[\]-]+$")]
"""A site as Content-Security-Policy names it; nothing that could end the directive."""


class Settings(BaseSettings):
    """How the service runs; each field is the environment variable NEXTPAIR_ + its name."""

    model_config = SettingsConfigDict(
        env_prefix="NEXTPAIR_", env_nested_delimiter="__", frozen=True, extra="ignore"
    )

    database: SecretStr = Field(
        SecretStr("sqlite:///nextpair.db"),
        description="where everything is kept: sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DB",
    )
    host: str = Field("127.0.0.1", description="the address to listen on")
    port: int = Field(8000, ge=0, le=65535, description="the port to listen on; 0 takes a free one")
    processes: int = Field(1, ge=1, le=256, description="how many processes serve")
    threads: int = Field(
        8, ge=1, le=1000, description="requests each process works on at once; two at least"
    )
    pool_size: int = Field(10, ge=1, le=1000, description="database connections per process")
    busy_seconds: float = Field(30, gt=0, description="how long to wait for the database")
    cache_mb: int = Field(512, ge=1, description="topics kept in memory, per process")
    max_body_mb: float = Field(8, gt=0, description="the largest request body")
    max_upload_mb: float = Field(256, gt=0, description="the largest upload of JSON Lines")
    max_documents: int = Field(10_000, ge=1, description="documents per topic")
    max_text: int = Field(1_000_000, ge=1, description="characters per document")
    rate_per_key: float = Field(500, gt=0, description="requests per second and key, over all")
    token_days: float = Field(7, gt=0, description="how long a worker's token can be answered")
    events_seconds: float = Field(0.5, gt=0, description="how often event streams look for news")
    cors_origins: tuple[str, ...] = Field(
        (), description='pages that may call from a browser, as JSON: ["https://example.org"]'
    )
    session_hours: float = Field(12, gt=0, le=8760, description="how long a judging session lasts")
    frame_ancestors: tuple[Origin, ...] = Field(
        (), description='sites that may show the judging page in a frame: ["https://example.org"]'
    )
    public_url: Annotated[str, StringConstraints(pattern=r"^(https?://[^\s?#]+)?$")] = Field(
        "", description="where workers reach this service, as crowd platforms are told"
    )
    platforms: dict[str, dict[str, SecretStr]] = Field(
        {}, description="keys and addresses: NEXTPAIR_PLATFORMS__MTURK__ACCESS_KEY_ID and so on"
    )
    runner_seconds: float = Field(
        15, ge=0, le=3600, description="how often crowd platforms are looked after; 0: not here"
    )
    remote_images: bool = Field(False, description="whether documents may load images by address")
    log_level: str = Field("info", description="debug, info, warning or error")
