"""Information gain: what it reaches on continuous scales, with a real crowd, and what it costs."""

import argparse

from benchmarks.gaining import best, intervals, many, real_crowd, scales, speed
from benchmarks.section import main

COUNTED = (scales, real_crowd, intervals, best, many)


def measure(given: argparse.Namespace) -> str:
    """Run all tables; what is timed comes first, while this process is still small."""
    timed = str(speed.measure(given))
    return "\n".join([*(str(table.measure(given)) for table in COUNTED), timed])


if __name__ == "__main__":
    main(measure)
