"""The settings of an installation: environment variables NEXTPAIR_*, read once."""

from pathlib import Path
from typing import Annotated, Self
from urllib.parse import quote, urlsplit, urlunsplit

from pydantic import Field, SecretStr, StringConstraints, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

MB = 1_000_000
Origin = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9.:/*\[\]-]+$")]
"""An origin in a Content-Security-Policy; no character that could end the directive."""


def has_password(address: str) -> bool:
    """Say whether a database URL contains a password."""
    return "@" in address and ":" in urlsplit(address).netloc.rpartition("@")[0]


def with_password(address: str, password: str) -> str:
    """Insert a password into a database URL.

    >>> with_password("postgresql://np@db/np", "a/b")
    'postgresql://np:a%2Fb@db/np'
    """
    parts = urlsplit(address)
    user, at, host = parts.netloc.rpartition("@")
    if not at:
        raise ValueError("the address of the database must name a user to have a password")
    if ":" in user:
        raise ValueError("the address of the database has a password already: take it out of it")
    return urlunsplit(parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}"))


def _read_password_file(path: Path) -> str:
    try:
        content = path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ValueError(f"the file with the database's password: {reason}") from None
    if not content:
        raise ValueError("the file with the database's password is empty")
    return content


class ServiceSettings(BaseSettings):
    """The settings of the service; each field is an environment variable, NEXTPAIR_ + its name."""

    model_config = SettingsConfigDict(
        env_prefix="NEXTPAIR_", env_nested_delimiter="__", frozen=True, extra="ignore"
    )

    database: SecretStr = Field(
        SecretStr("sqlite:///nextpair.db"),
        description="where everything is kept: sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DB",
    )
    database_password_file: Path | None = Field(
        None, description="a file with the password of the database, whose address then has none"
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
    max_answer_mb: float = Field(
        0.5, gt=0, description="the largest request body of all but those who manage studies"
    )
    max_upload_mb: float = Field(256, gt=0, description="the largest upload of JSON Lines")
    max_import_files: int = Field(200, ge=1, description="files of one import")
    max_import_lines: int = Field(5_000_000, ge=1, description="lines of one import, in all files")
    max_import_documents: int = Field(
        100_000, ge=1, description="documents of one import, in all topics"
    )
    max_documents: int = Field(10_000, ge=1, description="documents per topic")
    max_text: int = Field(1_000_000, ge=1, description="characters per document")
    receive_seconds: float = Field(
        20, gt=0, description="how long a client may take to send a request's head, or be silent"
    )
    max_connections: int = Field(1000, ge=1, description="connections at once, per process")
    proxies: str = Field(
        "127.0.0.1,::1",
        description="addresses of proxies whose X-Forwarded-For is believed, with commas",
    )
    rate_per_key: float = Field(500, gt=0, description="requests per second and key, over all")
    heavy_from: int = Field(
        1000,
        ge=0,
        description="documents and judgments from which a ranking is computed by another process",
    )
    heavy_processes: int = Field(
        1, ge=1, le=256, description="processes that compute reports, rankings and files, over all"
    )
    heavy_waiting: int = Field(
        16, ge=0, le=10_000, description="reports, rankings and files that may wait, per process"
    )
    heavy_per_key: int = Field(
        8, ge=1, le=10_000, description="reports, rankings and files at once, per key and process"
    )
    streams_per_key: int = Field(
        20, ge=1, le=100_000, description="event streams at once, per key and process"
    )
    rate_per_worker: float = Field(
        20, gt=0, description="requests per second and worker, by tokens and sessions, over all"
    )
    rate_per_address: float = Field(
        1, gt=0, description="arrivals per second and address, over all; sixty at once"
    )
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

    @model_validator(mode="after")
    def _read_password(self) -> Self:
        address = self.database.get_secret_value()
        if self.database_password_file is not None and not address.startswith("sqlite"):
            whole = with_password(address, _read_password_file(self.database_password_file))
            # The model is frozen; a validator may still set a field during construction.
            object.__setattr__(self, "database", SecretStr(whole))
        return self

    @property
    def line_bytes(self) -> int:
        """The longest line of JSON for one document: each character may be escaped as six."""
        return 6 * self.max_text + MB
