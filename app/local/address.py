"""Where a service on this machine runs."""

from dataclasses import dataclass

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Running:
    """A service that runs on this machine, for this machine only."""

    pid: int
    port: int

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{HOST}:{self.port}"
