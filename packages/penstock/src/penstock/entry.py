"""The entry point of the `penstock` command: Ctrl-C stops it quietly while the other modules are imported.

Importing takes a tenth of a second and has no effects to undo. Ctrl-C in the few milliseconds while Python itself
starts cannot be handled here.
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


def main() -> None:
    """Import the command and run it."""
    try:
        from penstock.command import main as command  # noqa: PLC0415 - after SIGINT is handled

        signal.signal(signal.SIGINT, _default_handler)
        command()
    except KeyboardInterrupt:
        _exit()
