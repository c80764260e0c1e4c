"""What holds when the machine fails and when strangers attack: faults with audits, and latencies.

python -m benchmarks.hold --scenes kill restart --faults 20
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from benchmarks.holding import chaos
from benchmarks.holding.ground import Outcome
from benchmarks.section import Section

ATTACK = "attack"


def arguments() -> argparse.Namespace:
    """Read the words of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    scenes = [*chaos.SCENES, ATTACK]
    parser.add_argument("--scenes", nargs="+", choices=scenes, default=scenes)
    parser.add_argument("--faults", type=int, default=12, help="how often each fault happens")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each part of the attack")
    return parser.parse_args()


def measure_faults(given: argparse.Namespace) -> Section:
    """Let each fault happen under load; audit what is left."""
    section = Section(
        "Faults",
        f"python -m benchmarks.hold --faults {given.faults}",
        "16 workers judge topic after topic, three votes a pair, some taking answers back and some"
        " leaving questions open, while the fault happens again and again. Afterwards every answer"
        " that a worker was told is kept must be in the log exactly once, and nothing else; no pair"
        " has more votes than is explained; every process reports the ranking that follows from the"
        " log, folded anew outside the service; all topics are finished.",
        ("fault", "times", "answers told", "taken back", "topics", "seconds", "audits"),
    )
    for name in given.scenes:
        if name in chaos.SCENES:
            outcome = chaos.SCENES[name](given.faults)
            section.rows.append(_row(outcome))
            print(" | ".join(section.rows[-1]), file=sys.stderr)
    return section


def _row(outcome: Outcome) -> tuple[str, ...]:
    return (
        outcome.fault,
        str(outcome.faults),
        f"{outcome.acknowledged:,}",
        f"{outcome.undone:,}",
        str(outcome.topics),
        f"{outcome.seconds:.0f}",
        f"**{outcome.wrong}**" if outcome.wrong else "all right",
    )


def main() -> int:
    """Run the scenes asked for; fail if an audit found something."""
    given = arguments()
    sections = []
    if set(given.scenes) & set(chaos.SCENES):
        sections.append(measure_faults(given))
    print("\n".join(map(str, sections)))
    return int(any("**" in cell for section in sections for row in section.rows for cell in row))


if __name__ == "__main__":
    sys.exit(main())
