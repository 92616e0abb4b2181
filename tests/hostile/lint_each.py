"""Lints each file that is named on its input as `penstock lint` does, in a process with little time and memory of its own.

The processes are forked from one that has loaded the command, so that hundreds of files take seconds. The answer is the exit
code, or a negative signal; what was written stands in the file `told`.
"""

import os
import resource
import signal
import sys
from pathlib import Path

import penstock.command.lint
import penstock_spec.lint  # noqa: F401 - loaded once, here
from penstock.command import main

SECONDS = 1
BYTES = 100 * 2**20
NOBODY = 65534


def limited(path: str) -> None:
    """The command, in a child; does not return."""
    told = os.open("told", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(told, 1)
    os.dup2(told, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if sys.platform == "linux":  # elsewhere the limit is not kept
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    signal.alarm(60)  # what waits for ever uses no CPU
    if os.geteuid() == 0:
        os.setuid(NOBODY)  # nothing is forbidden to root
    sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - for the life of the process
    sys.argv = ["penstock", "lint", path, "--no-cache"]
    main()


for line in sys.stdin:
    child = os.fork()
    if not child:
        limited(line.rstrip("\n"))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)  # noqa: T201 - the answer
