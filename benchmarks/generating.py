"""Measures `penstock generate`, compared with `helm template` for the same objects.

The corpus is a thousand different specs in two environments. Each measurement is a process from start to exit. Helm
makes the same objects from the generated chart and values, one pipeline at a time. Compare the ratios: the seconds
depend on the machine.

On ext4, new files take up to thirty times as long if many files were deleted in the last minutes, as it checks each
free inode for a recent deletion. `TMPDIR=/dev/shm` measures the generator alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus import write
from table import report

COUNT, MORE = 1000, 5000
ENVIRONMENTS = ("dev", "production")
HELM_RUNS, REPOSITORIES, ROUNDS = 20, 3, 7
ROOT = Path(__file__).parents[1]
GENERATE = [sys.executable, "-m", "penstock", "generate", *(word for name in ENVIRONMENTS for word in ("--env", name))]


def main() -> None:
    """Measure and print."""
    helm = shutil.which("helm") or str(ROOT / "build/validators/bin/helm")
    with tempfile.TemporaryDirectory() as folder:
        roots = [Path(folder) / f"repository-{number}" for number in range(REPOSITORIES)]
        first = statistics.median(generate_new(root) for root in roots)
        root = roots[-1]
        again = timed(root)
        files = sum(len(names) for _, _, names in os.walk(root / "generated"))
        size = sum(path.stat().st_size for path in (root / "generated").rglob("*") if path.is_file())
        time.sleep(0.2)  # the generator does not trust very recent time stamps
        settled = statistics.median(timed(root) for _ in range(ROUNDS))
        one_changed = statistics.median(changed(root, minutes) for minutes in range(ROUNDS))
        with_chart = [sys.executable, "-m", "penstock", "generate"]
        subprocess.run(with_chart, cwd=root, check=True, capture_output=True)  # noqa: S603 - our own command
        rendered = statistics.median(render_with_helm(helm, root, number) for number in range(HELM_RUNS))
        # In the same folder, so that nothing is deleted in between: see above.
        root = Path(folder) / "more"
        more = generate_new(root, MORE)
        resident, resident_of_more = (peak_memory(Path(folder) / str(count), count) for count in (COUNT, MORE))
    each = first / COUNT / len(ENVIRONMENTS)
    report(
        [
            ("specs x environments", f"{COUNT:,} x {len(ENVIRONMENTS)}"),
            ("files, and their size", f"{files:,}, {size / 1e6:,.0f} MB"),
            ("penstock generate, from scratch", f"{first:.2f} s"),
            ("  per pipeline and environment", f"{each * 1000:.2f} ms"),
            ("helm template, per pipeline and environment", f"{rendered * 1000:.1f} ms"),
            ("penstock generate, unchanged", f"{settled:.2f} s"),
            ("  right after the first run", f"{again:.2f} s"),
            ("penstock generate, one spec changed", f"{one_changed:.2f} s"),
            ("memory of all processes", f"{resident:.0f} MB"),
            (f"{MORE:,} specs, from scratch", f"{more:.2f} s, {resident_of_more:.0f} MB"),
            (f"  per pipeline, relative to {COUNT:,}", f"{more / MORE / (first / COUNT):.2f}"),
        ],
        {
            "ratio_to_helm": round(each / rendered, 4),
            "unchanged_s": round(settled, 3),
            "one_changed_s": round(one_changed, 3),
            "rss_mb": round(resident),
        },
    )


def timed(root: Path) -> float:
    """Seconds from start to exit."""
    start = time.perf_counter()
    subprocess.run(GENERATE, cwd=root, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - our own command
    return time.perf_counter() - start


def generate_new(root: Path, count: int = COUNT) -> float:
    """Seconds for a new repository."""
    write(root, count)
    return timed(root)


def changed(root: Path, minutes: int) -> float:
    """Seconds after a change of one spec."""
    spec = root / "specs/0500.yaml"
    spec.write_text(re.sub(r"cooldown: \d+m", f"cooldown: {10 + minutes}m", spec.read_text()))
    return timed(root)


def peak_memory(root: Path, count: int) -> float:
    """The peak memory of the command and its forks in MB. It has a run of its own, as measuring takes time."""
    write(root, count)
    peak = 0.0
    with subprocess.Popen(GENERATE, cwd=root, stdout=subprocess.DEVNULL) as running:  # noqa: S603 - as above
        while running.poll() is None:
            peak = max(peak, sum(_memory(pid) for pid in (running.pid, *_children(running.pid))))
            time.sleep(0.05)
    if running.returncode:
        sys.exit("penstock generate failed")
    return peak


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _memory(pid: int) -> float:
    """Memory in MB; shared pages count in proportion."""
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)
    return 0.0


def render_with_helm(helm: str, root: Path, number: int) -> float:
    """Seconds for one pipeline."""
    folder = sorted((root / "generated/production").glob("[!_]*"))[number * 40]
    command = [helm, "template", folder.name, str(root / "generated/chart"), "-f", str(folder / "values.yaml")]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - the validators' helm
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
