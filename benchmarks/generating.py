"""How fast everything around pipelines is generated, beside `helm template` for the same objects.

A thousand different specs in two environments. Everything is the real command in a process of its own, from start to
exit, in one run; helm makes the same objects from the generated chart and values, one pipeline at a time. What counts
are the ratios: the seconds mean little on another machine.

ext4 takes up to thirty times as long for a new file while many were deleted in the last minutes, by whomever: it looks
at each free inode, whether it was deleted just now. `TMPDIR=/dev/shm` measures the generator alone.
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
from table import tell

COUNT, MORE = 1000, 5000
ENVIRONMENTS = ("dev", "production")
RENDERED, ANEW, TIMES = 20, 3, 7
ROOT = Path(__file__).parents[1]
GENERATE = [sys.executable, "-m", "penstock", "generate", *(word for name in ENVIRONMENTS for word in ("--env", name))]


def main() -> None:
    """Measure, and tell."""
    helm = shutil.which("helm") or str(ROOT / "build/validators/bin/helm")
    with tempfile.TemporaryDirectory() as folder:
        roots = [Path(folder) / f"repository-{number}" for number in range(ANEW)]
        first = statistics.median(made(root) for root in roots)
        root = roots[-1]
        again = timed(root)
        files = sum(len(found) for _, _, found in os.walk(root / "generated"))
        size = sum(path.stat().st_size for path in (root / "generated").rglob("*") if path.is_file())
        time.sleep(0.2)  # time stamps of a moment ago are not believed
        settled = statistics.median(timed(root) for _ in range(TIMES))
        one_changed = statistics.median(changed(root, minutes) for minutes in range(TIMES))
        whole = [sys.executable, "-m", "penstock", "generate"]  # with the chart
        subprocess.run(whole, cwd=root, check=True, capture_output=True)  # noqa: S603 - our own command
        rendered = statistics.median(templated(helm, root, number) for number in range(RENDERED))
        # In the same folder, so that nothing is deleted in between: see above.
        root = Path(folder) / "more"
        more = made(root, MORE)
        resident, resident_of_more = (held(Path(folder) / str(count), count) for count in (COUNT, MORE))
    each = first / COUNT / len(ENVIRONMENTS)
    tell(
        [
            ("specs x environments", f"{COUNT:,} x {len(ENVIRONMENTS)}"),
            ("files, and their size", f"{files:,}, {size / 1e6:,.0f} MB"),
            ("penstock generate, from nothing", f"{first:.2f} s"),
            ("  a pipeline in an environment", f"{each * 1000:.2f} ms"),
            ("helm template, a pipeline in an environment", f"{rendered * 1000:.1f} ms"),
            ("penstock generate, unchanged", f"{settled:.2f} s"),
            ("  right after the first run", f"{again:.2f} s"),
            ("penstock generate, one spec changed", f"{one_changed:.2f} s"),
            ("memory, all processes together", f"{resident:.0f} MB"),
            (f"{MORE:,} specs, from nothing", f"{more:.2f} s, {resident_of_more:.0f} MB"),
            ("  a pipeline, beside a thousand", f"{more / MORE / (first / COUNT):.2f}"),
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


def made(root: Path, count: int = COUNT) -> float:
    """Seconds for all of a new repository."""
    write(root, count)
    return timed(root)


def changed(root: Path, minutes: int) -> float:
    """Seconds after a change of one spec."""
    spec = root / "specs/0500.yaml"
    spec.write_text(re.sub(r"cooldown: \d+m", f"cooldown: {10 + minutes}m", spec.read_text()))
    return timed(root)


def held(root: Path, count: int) -> float:
    """The most megabytes that the command and its forks held together; a run of its own, for looking takes time."""
    write(root, count)
    most = 0.0
    with subprocess.Popen(GENERATE, cwd=root, stdout=subprocess.DEVNULL) as running:  # noqa: S603 - as above
        while running.poll() is None:
            most = max(most, sum(_held(pid) for pid in (running.pid, *_children(running.pid))))
            time.sleep(0.05)
    if running.returncode:
        sys.exit("penstock generate failed")
    return most


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _held(pid: int) -> float:
    """Megabytes; what several processes share counts in parts."""
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)
    return 0.0


def templated(helm: str, root: Path, number: int) -> float:
    """Seconds for one pipeline."""
    folder = sorted((root / "generated/production").glob("[!_]*"))[number * 40]
    command = [helm, "template", folder.name, str(root / "generated/chart"), "-f", str(folder / "values.yaml")]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - the validators' helm
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
