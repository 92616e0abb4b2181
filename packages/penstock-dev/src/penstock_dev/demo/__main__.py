"""`python -m penstock_dev.demo`, in Penstock's repository; `make demo` sets up first."""

from __future__ import annotations

import sys

from penstock_dev.demo.run import command

if __name__ == "__main__":
    sys.exit(command())
