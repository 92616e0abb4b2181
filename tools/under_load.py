"""Run a command next to busy processes, so that it gets about a fifth of the machine.

`tools/under_load.py pytest -n 4` starts four processes for each processor that only compute. A process of the command
that computes shares its processor with four of them, so it runs at a fifth of its speed; the command's own processes
also compete with each other. Waiting takes as long as before: this is a slow machine, not a slow clock. The last line
shows the share of the processors that the command got: at most a fifth, if the command keeps no more than one process
busy for each processor.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

BUSY_PER_PROCESSOR = 4
BUSY = "while True: pass"


@contextmanager
def load(count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that compute, until the end."""
    # Linux may divide processors among sessions first; in one session all of them would count as a single process.
    busy = [subprocess.Popen([sys.executable, "-c", BUSY], start_new_session=True) for _ in range(count)]  # noqa: S603 - this Python
    try:
        yield busy
    finally:
        for one in busy:
            one.kill()
        for one in busy:
            one.wait()


def main(command: list[str]) -> int:
    """The exit code of the command."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    began = time.monotonic()
    with load(BUSY_PER_PROCESSOR * processors):
        code = subprocess.call(command)  # noqa: S603 - the caller's command
        used = resource.getrusage(resource.RUSAGE_CHILDREN)  # before the busy ones are waited for, and counted
        share = (used.ru_utime + used.ru_stime) / (time.monotonic() - began) / processors
    print(f"the command had {share:.0%} of {processors} processors")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
