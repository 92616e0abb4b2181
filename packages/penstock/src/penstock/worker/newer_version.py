"""How long a message of a newer Penstock waits for a worker that can read it, before it becomes a dead letter.

During a rollout, new producers send before the last old worker is gone. The waits are not charged as attempts.
"""

from __future__ import annotations

FIRST, LIMIT = 5_000, 300_000
"""Milliseconds: the first wait, which doubles up to the limit."""
TRIES = 17
"""Deliveries after which it is a dead letter; the waits add up to more than an hour."""
BY_FORCE = 1000
"""A message that was brought back by force has a multiple of this more uncharged deliveries, less the attempts that it
had until then; see `bring_back.lua`."""


def next_wait(uncharged: int) -> int | None:
    """Milliseconds until the next delivery, or None if it has waited long enough."""
    waits = (uncharged + BY_FORCE // 2) % BY_FORCE - BY_FORCE // 2  # below 0 after attempts and a return by force
    return None if waits >= TRIES else min(FIRST << max(0, waits), LIMIT)
