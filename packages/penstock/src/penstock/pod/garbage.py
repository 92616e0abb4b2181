"""Settings of Python's garbage collector."""

from __future__ import annotations

import gc

THRESHOLDS = (20_000, 20, 20)
"""New objects before the collector runs, and runs on younger generations before one on the next."""


def collect_seldom() -> None:
    """Exempt what is loaded by now, and run the collector less often.

    What a message or a run allocates is freed when it ends, without the collector; at the default thresholds it would
    traverse everything again and again to find no cycles.
    """
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
