"""When Python's collector looks for cycles in a pod."""

from __future__ import annotations

import gc

COLLECT = (20_000, 20, 20)
"""When the collector looks: after so many new objects, and so many looks at the younger ones."""


def collect_seldom() -> None:
    """What is loaded by now stays. What a message or a run needs is freed when it ends, without the collector.

    That would else look through everything again and again for cycles that are not there.
    """
    gc.freeze()
    gc.set_threshold(*COLLECT)
