"""The entry point of the `penstock` command: signals stop it quietly while the other modules are imported.

Importing takes a tenth of a second and has no effects to undo. Signals in the few milliseconds while Python itself
starts cannot be handled here.

SIGTERM ends a worker, janitor or scheduler with 0 until it handles signals by itself: it has not taken any work, so
there is nothing to drain.
"""

import os
import signal
import sys
from types import FrameType

__all__ = ["main"]

INTERRUPTED = 130
_default_handler = signal.getsignal(signal.SIGINT)


def _exit(number: int = 0, frame: FrameType | None = None) -> None:
    """Exit at once: an exception during an import may print many lines, or be swallowed."""
    del number, frame
    if sys.stderr is not None:
        os.write(sys.stderr.fileno(), b"\nstopped\n")
    os._exit(INTERRUPTED)


if _default_handler is signal.default_int_handler:  # a shell's background process ignores SIGINT; that stays
    signal.signal(signal.SIGINT, _exit)


def _stop_pod(number: int = 0, frame: FrameType | None = None) -> None:
    del number, frame
    if sys.stderr is not None:
        os.write(sys.stderr.fileno(), b"stopped by SIGTERM before it had started\n")
    os._exit(0)


PODS = (["worker"], ["janitor"], ["scheduler", "run"])
if any(sys.argv[1 : 1 + len(verb)] == verb for verb in PODS) and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
    signal.signal(signal.SIGTERM, _stop_pod)


def main() -> None:
    """Import the command and run it."""
    try:
        from penstock.command import main as command  # noqa: PLC0415 - after SIGINT is handled

        signal.signal(signal.SIGINT, _default_handler)
        command()
    except KeyboardInterrupt:
        _exit()
