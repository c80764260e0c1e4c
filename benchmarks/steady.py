"""Whether the test suite passes every time while other processes keep the machine busy.

python -m benchmarks.steady --times 10 --busy 2
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

SUITE = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", "-q"]
BUSY = [sys.executable, "-c", "while True: pass"]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10, help="how often the suite runs")
    parser.add_argument("--busy", type=int, default=2, help="processes that only use the CPU")
    return parser.parse_args()


@contextmanager
def busy_process() -> Iterator[None]:
    """Keep one core busy until the block ends."""
    process = subprocess.Popen(BUSY)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def run_suite() -> tuple[bool, list[str]]:
    """Run the suite once; return whether it passed, and its failures and closing line."""
    done = subprocess.run(SUITE, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    failures = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return done.returncode == 0, [*failures, *lines[-1:]]


def main() -> int:
    """Run the suite again and again; the exit code says whether it always passed."""
    given = arguments()
    green = 0
    with ExitStack() as stack:
        for _ in range(given.busy):
            stack.enter_context(busy_process())
        for number in range(1, given.times + 1):
            started = time.monotonic()
            passed, told = run_suite()
            green += passed
            seconds = time.monotonic() - started
            load = os.getloadavg()[2]
            print(f"run {number}, {seconds:.0f} s, load average {load:.1f}", *told, sep="\n  ")
            sys.stdout.flush()
    print(f"{green} of {given.times} runs passed beside {given.busy} busy processes")
    return int(green < given.times)


if __name__ == "__main__":
    sys.exit(main())
