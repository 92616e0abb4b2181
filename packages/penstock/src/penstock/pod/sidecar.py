"""Asks a sidecar to quit, so that the pod can end."""

from __future__ import annotations

import logging

from penstock.observe.events import Event
from penstock.observe.logs import Log

PATIENCE = 2.0
"""Seconds for its answer."""

log = Log(logging.getLogger(__name__))


def quit_sidecar(url: str) -> bool:
    """Send one POST; return whether it succeeded. The shutdown continues in any case."""
    from http.client import HTTPException  # noqa: PLC0415 - needed only at the end
    from urllib.request import Request, urlopen  # noqa: PLC0415 - as above

    try:
        with urlopen(Request(url, data=b"", method="POST"), timeout=PATIENCE) as answer:  # noqa: S310 - the spec allows only http and https
            log.event(Event.SIDECAR_STOP_REQUESTED, status=answer.status)
    except (OSError, HTTPException) as error:
        log.event(Event.SIDECAR_STOP_FAILED, error=type(error).__name__)
        return False
    return True
