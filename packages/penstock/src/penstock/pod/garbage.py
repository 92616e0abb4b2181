"""Settings of Python's garbage collector."""

from __future__ import annotations

import gc

THRESHOLDS = (20_000, 20, 20)
"""New objects before the collector runs, and runs on younger generations before one on the next."""


def collect_seldom() -> None:
    """Exempt all current objects, and run the collector less often.

    Objects of a message or a run are freed when it ends, without the collector; at the default thresholds, the
    collector would often traverse all objects and find no cycles.
    """
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
