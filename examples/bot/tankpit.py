"""Asks the game's servers about a player."""

from __future__ import annotations

import logging
import time

from .messages import Context, TankpitJob

log = logging.getLogger(__name__)


def ask(what: str, player: str) -> str:
    """An answer of the servers. It stands here for them, and for a client that raises their `429` with its status."""
    time.sleep(0.05)
    return f"the {what} of {player}"


def look_up(job: TankpitJob, context: Context) -> None:
    """A plain function: the runtime gives it a thread. A `429` of the servers is retried as the spec says."""
    answer = ask(job["type"], job["player"])
    log.info("%s bytes about a player in attempt %s", len(answer), context.attempt)
