"""Measures `penstock lint`, compared with reading the same files with ruamel.yaml's default loader.

The corpus is a thousand different specs of 2 KB and more, with three environments each. Each measurement is a process
from start to exit, imports included. Compare the ratios of one run: the seconds depend on the machine.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus import write
from table import report

COUNT = 1000
STARTS = 15
READ = """
import sys
from pathlib import Path
from ruamel.yaml import YAML
for path in sorted(Path(sys.argv[1]).glob("specs/*.yaml")):
    YAML().load(path.read_text())
"""


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        size = write(root, COUNT)
        lint = [sys.executable, "-m", "penstock", "lint"]
        first, output = timed(lint, root)
        second, output_again = timed(lint, root)
        if output != output_again:
            sys.exit("the second run did not print the same as the first")
        (root / "specs" / "0500.yaml").open("a").write("# a comment\n")
        one_changed, _ = timed(lint, root)
        read, _ = timed([sys.executable, "-c", READ, str(root)], root)
    bare, help_ = starts()
    report(
        [
            (f"specs, {size / COUNT:,.0f} bytes each", f"{COUNT:,}"),
            ("read with ruamel.yaml's default loader", f"{read:.2f} s"),
            ("penstock lint, three environments, first run", f"{first:.2f} s"),
            ("  per spec", f"{first / COUNT * 1000:.2f} ms"),
            ("penstock lint, one spec changed", f"{one_changed:.2f} s"),
            ("penstock lint, unchanged", f"{second:.3f} s"),
            ("python -c pass", f"{bare * 1000:.0f} ms"),
            ("penstock --help", f"{help_ * 1000:.0f} ms"),
            ("last line of the output", output.strip().splitlines()[-1]),
        ],
        {
            "ratio_to_read": round(first / read, 3),
            "unchanged_speedup": round(first / second, 1),
            "help_ratio": round(help_ / bare, 2),
        },
    )


def timed(command: list[str], where: Path) -> tuple[float, str]:
    """Seconds and the output."""
    start = time.perf_counter()
    result = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    took = time.perf_counter() - start
    if result.returncode not in (0, 1) or result.stderr:
        sys.exit(f"{' '.join(command)} failed: {result.stderr}")
    return took, result.stdout


def starts() -> tuple[float, float]:
    """The median start of Python and of `penstock --help`, measured alternately."""
    here = Path(__file__).parent
    bare, help_times = [], []
    for _ in range(STARTS):
        bare.append(timed([sys.executable, "-c", "pass"], here)[0])
        help_times.append(timed([sys.executable, "-m", "penstock", "--help"], here)[0])
    return statistics.median(bare), statistics.median(help_times)


if __name__ == "__main__":
    main()
