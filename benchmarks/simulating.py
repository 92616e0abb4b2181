"""Measures the simulation of a day, for each pipeline of this repository, and the command from start to exit.

Both are CPU times, which depend little on other load; that of the command includes its start. The traffic is a daily
curve with random arrivals.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from table import report

from penstock_dev.simulating.case import Case, StartTimes, pattern, spread
from penstock_dev.simulating.simulation import simulate_spec
from penstock_dev.simulating.specs import ValidSpecs, read
from penstock_spec.repository import open_repository, read_inputs

ROOT = Path(__file__).parents[1]
RATES = {"agent-queue": 0.2, "browser-jobs": 0.3, "jobs": 4.0, "media-cluster": 50.0, "tankpit-jobs": 3.0}
"""Messages per second at noon, within what the spec can handle."""
HANDLING = {"agent-queue": (480.0, 1500.0), "browser-jobs": (15.0, 90.0)}
STARTS = StartTimes(pod=10, node=90, node_pods=8)


def main() -> None:
    """Measure and print."""
    specs = read(read_inputs(open_repository((), None, ROOT)), ("production",), datetime.now(UTC).date())
    if not isinstance(specs, ValidSpecs):
        sys.exit("the specs of this repository have errors")
    rows, slowest = [], 0.0
    for file in specs.inputs.specs:
        subject = specs.subject(file, "production")
        if subject is None:
            continue
        name = subject.spec.name
        case = Case(pattern("day", RATES[name], None), spread(*HANDLING.get(name, (1.0, 10.0))), STARTS)
        start = time.process_time()
        summary = simulate_spec(name, subject, case, target=60).run.summary
        took = time.process_time() - start
        slowest = max(slowest, took)
        rows.append((f"{name}: a day, {summary.sent:,} messages, {summary.pod_hours:,.0f} pod-hours", f"{took:.2f} s"))
    command_seconds = command()
    rows.append(("penstock simulate media-cluster, from start to exit", f"{command_seconds:.2f} s"))
    report(rows, {"day_s": round(slowest, 3), "command_s": round(command_seconds, 3)})


def command() -> float:
    """CPU seconds of the command."""
    words = [
        "simulate",
        "media-cluster",
        "--rate",
        "50",
        "--handling",
        "1s",
        "--handling-p99",
        "10s",
        "-e",
        "production",
    ]
    before = os.times()
    subprocess.run([sys.executable, "-m", "penstock", *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
