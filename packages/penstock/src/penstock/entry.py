"""Where the `penstock` command begins: Ctrl-C is quiet while the rest is still being loaded.

Loading takes a tenth of a second, in which nothing is done that would have to be undone. Before that Python itself
begins, for some milliseconds in which nothing of ours is there to answer.
"""

import os
import signal
import sys
from types import FrameType

__all__ = ["main"]

INTERRUPTED = 130
_usual = signal.getsignal(signal.SIGINT)


def _leave(number: int = 0, frame: FrameType | None = None) -> None:
    """At once: an exception in the middle of an import may come out as many lines, or not at all."""
    del number, frame
    if sys.stderr is not None:
        os.write(sys.stderr.fileno(), b"\nstopped\n")
    os._exit(INTERRUPTED)


if _usual is signal.default_int_handler:  # whoever ignores it, as what a shell runs in the background, goes on doing so
    signal.signal(signal.SIGINT, _leave)


def main() -> None:
    """Load the command and run it."""
    try:
        from penstock.command import main as command  # noqa: PLC0415 - see above

        signal.signal(signal.SIGINT, _usual)
        command()
    except KeyboardInterrupt:
        _leave()
