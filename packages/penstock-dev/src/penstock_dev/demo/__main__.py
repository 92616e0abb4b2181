"""`python -m penstock_dev.demo`, in Penstock's repository; `make demo` sets up first."""

from __future__ import annotations

import sys


def main() -> int:
    """Give an exit code, also to somebody who thinks better of it while all of it is loaded."""
    try:
        from penstock_dev.demo.command import command  # noqa: PLC0415 - what takes a while to load may be stopped

        return command()
    except KeyboardInterrupt:
        sys.stderr.write("stopped; nothing is left behind\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
