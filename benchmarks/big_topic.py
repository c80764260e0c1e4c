"""A whole TREC-8 topic of 2,056 documents, from the first pair to the last, in a fresh process."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.section import Section, main, met

TOPIC = "411"


def measure(given: argparse.Namespace) -> Section:
    """Run the command a user would run, once per selector."""
    path = given.data / "trec-8" / "bashir-five-topics.qrels.gz"
    source = ["--qrels", str(path), "--topics", TOPIC]
    if not path.exists():
        print(f"missing {path}: fetch the TREC-8 ad hoc qrels. Running on generated topics.")
        source = ["--generate", "topics=1,documents=2056,grades=0.987/0.013"]
    section = Section(
        "A topic of 2,056 documents",
        "python -m benchmarks.big_topic",
        f"TREC-8 topic {TOPIC}, 27 of 2,056 documents relevant, perfect judges, one process each,"
        " imports included in the memory. Bar for merge-tie-random: 20 s and 300 MB.",
        ("selector", "judgments", "exact", "seconds", "peak MB", "bar"),
    )
    for selector in ("merge-tie-random", "merge-tie", "quick-sort", "uniform"):
        run = _simulate(selector, source)
        bar = met(run["seconds"], 20) if run["peak_mb"] <= 300 else "**not met**"
        section.rows.append(
            (
                selector,
                f"{run['judgments']:,}",
                str(run["exact"]),
                f"{run['seconds']:.1f}",
                f"{run['peak_mb']:.0f}",
                bar if selector == "merge-tie-random" else "-",
            )
        )
    return section


def _simulate(selector: str, source: list[str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run.json"
        command = [str(Path(sys.executable).with_name("nextpair")), "simulate", *source]
        command += ["--selector", selector, "--no-baseline", "--json", str(out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        run: dict[str, float] = json.loads(out.read_text())[0]
        return run


if __name__ == "__main__":
    main(measure)
