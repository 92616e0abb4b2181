"""Asks the servers of a game about a player."""

from __future__ import annotations

import logging
import time

from .messages import Context, TankpitJob

log = logging.getLogger(__name__)


def ask(what: str, player: str) -> str:
    """Return an answer of the servers. A real client would raise an error with the status `429`."""
    time.sleep(0.05)
    return f"the {what} of {player}"


def look_up(job: TankpitJob, context: Context) -> None:
    """Look up a player. The runtime runs a plain function in a thread, and retries a `429` as the spec says."""
    answer = ask(job["type"], job["player"])
    log.info("%s bytes about a player in attempt %s", len(answer), context.attempt)
