"""The process id and URL of a service on this machine."""

from dataclasses import dataclass

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class RunningService:
    """A running service that listens on the loopback interface."""

    pid: int
    port: int

    @property
    def url(self) -> str:
        """The URL of the service."""
        return f"http://{HOST}:{self.port}"
