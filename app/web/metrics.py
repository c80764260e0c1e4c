"""Counts for Prometheus, over all processes of a machine if they share a folder."""

import os
import shutil

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Where processes put their counts together; prometheus_client reads it when it is imported."""


def remove_folder() -> None:
    """Remove the folder of the counts, which whoever made it can remove no more."""
    if folder := os.environ.get(FOLDER):
        shutil.rmtree(folder, ignore_errors=True)


class Metrics:
    """What is counted about requests."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter(
            "nextpair_requests", "Requests answered.", labels, registry=self._registry
        )
        self._seconds = Histogram(
            "nextpair_request_seconds",
            "How long requests took.",
            ("route",),
            registry=self._registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
        )

        self._heavy = Gauge(
            "nextpair_heavy_calls",
            "Rankings, reports and files that are computed by helpers, or wait for one.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )

    def note_heavy(self, under_way: int) -> None:
        """Note how many heavy calls are under way."""
        self._heavy.set(under_way)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def page(self) -> bytes:
        """Write all counts as Prometheus reads them."""
        if FOLDER not in os.environ:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        # It enters itself; prometheus_client has no types for it.
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)
