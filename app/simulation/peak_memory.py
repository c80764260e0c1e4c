"""The peak memory of this process."""

import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_mb() -> float:
    """Return the peak resident set size of this process, in MB.

    Linux reports it exactly; elsewhere it may include that of the parent process.
    """
    if STATUS.exists():
        line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
