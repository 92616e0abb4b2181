"""`python -m penstock_dev.demo`, run in Penstock's repository by `make demo`."""

from __future__ import annotations

import sys


def main() -> int:
    """Return an exit code, also for Ctrl-C while modules load."""
    try:
        from penstock_dev.demo.command import command  # noqa: PLC0415 - slow to load, so Ctrl-C must work here

        return command()
    except KeyboardInterrupt:
        sys.stderr.write("stopped; nothing is left behind\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
