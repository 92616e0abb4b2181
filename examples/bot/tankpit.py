"""Asks the game's servers about a player."""

from __future__ import annotations

import logging
from urllib.parse import quote
from urllib.request import urlopen

from .messages import Context, TankpitJob

log = logging.getLogger(__name__)

SERVER = "https://game.example/api"


def look_up(job: TankpitJob, context: Context) -> None:
    """A plain function: the runtime gives it a thread. A `429` of the server is retried as the spec says."""
    with urlopen(f"{SERVER}/{job['type']}?name={quote(job['player'])}", timeout=10) as answer:  # noqa: S310 - SERVER is https
        log.info("%s bytes about a player in attempt %s", len(answer.read()), context.attempt)
