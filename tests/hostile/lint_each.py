"""Lints the files named on its input like `penstock lint`, each in a process with limited time and memory.

A line of input has the user, `me` or `nobody`, and the path. A line of output has the exit code, or a negative signal.
The printed text is in the file `output`. All processes are forks of one that has loaded the command, which is fast.
"""

import io
import os
import resource
import signal
import sys
from contextlib import redirect_stdout
from pathlib import Path

from penstock.command import app, main

SECONDS = 1
BYTES = 100 * 2**20
NOBODY = 65534


def limited(who: str, path: str) -> None:
    """The command, in a child; does not return."""
    output = os.open("output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(output, 1)
    os.dup2(output, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if sys.platform == "linux":  # other systems do not enforce the limit
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    signal.alarm(60)  # a process that waits forever uses no CPU
    if who == "nobody" and os.geteuid() == 0:
        os.setuid(NOBODY)  # root may read everything
    sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - until the process exits
    sys.argv = ["penstock", "lint", path, "--no-cache"]
    main()


# Lint once here, to load all modules, the reference parser included.
with redirect_stdout(io.StringIO()):
    app(["lint", "specs", "--no-cache"], standalone_mode=False)

for line in sys.stdin:
    child = os.fork()
    if not child:
        limited(*line.rstrip("\n").split(" ", 1))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)  # noqa: T201 - the result
