"""How fast specs are checked, beside merely reading them with ruamel.yaml's default loader.

A thousand different specs of 2 KB and more, three environments each. Everything is the real command in a process of
its own, from start to exit; the reading is one process too, with its imports. What counts are the ratios of one run:
the seconds mean little on another machine.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus import write
from table import tell

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
    """Measure, and tell."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        size = write(root, COUNT)
        lint = [sys.executable, "-m", "penstock", "lint"]
        first, told = timed(lint, root)
        second, again = timed(lint, root)
        if told != again:
            sys.exit("the second run told something else than the first")
        (root / "specs" / "0500.yaml").open("a").write("# a comment\n")
        one_changed, _ = timed(lint, root)
        read, _ = timed([sys.executable, "-c", READ, str(root)], root)
    bare, helped = starts()
    tell(
        [
            (f"specs, {size / COUNT:,.0f} bytes each", f"{COUNT:,}"),
            ("ruamel.yaml's default loader reads them", f"{read:.2f} s"),
            ("penstock lint, three environments, first run", f"{first:.2f} s"),
            ("  a spec", f"{first / COUNT * 1000:.2f} ms"),
            ("penstock lint, one spec changed", f"{one_changed:.2f} s"),
            ("penstock lint, unchanged", f"{second:.3f} s"),
            ("python -c pass", f"{bare * 1000:.0f} ms"),
            ("penstock --help", f"{helped * 1000:.0f} ms"),
            ("what it told", told.strip().splitlines()[-1]),
        ],
        {
            "ratio_to_read": round(first / read, 3),
            "unchanged_speedup": round(first / second, 1),
            "help_ratio": round(helped / bare, 2),
        },
    )


def timed(command: list[str], where: Path) -> tuple[float, str]:
    """Seconds, and what was printed."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    took = time.perf_counter() - start
    if done.returncode not in (0, 1) or done.stderr:
        sys.exit(f"{' '.join(command)} failed: {done.stderr}")
    return took, done.stdout


def starts() -> tuple[float, float]:
    """The median start of Python, and of `penstock --help`, taken in turns."""
    here = Path(__file__).parent
    bare, helped = [], []
    for _ in range(STARTS):
        bare.append(timed([sys.executable, "-c", "pass"], here)[0])
        helped.append(timed([sys.executable, "-m", "penstock", "--help"], here)[0])
    return statistics.median(bare), statistics.median(helped)


if __name__ == "__main__":
    main()
