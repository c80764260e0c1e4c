"""Placement: what it needs with workers who err, with real ones, with bad ones, and with many."""

import argparse

from benchmarks.placing import at_once, bad_workers, forecast, noise, real_crowd, speed
from benchmarks.section import main

COUNTED = (noise, real_crowd, bad_workers, at_once, forecast)


def measure(given: argparse.Namespace) -> str:
    """Run all tables; what is timed comes first, while this process is still small."""
    timed = str(speed.measure(given))
    return "\n".join([*(str(table.measure(given)) for table in COUNTED), timed])


if __name__ == "__main__":
    main(measure)
