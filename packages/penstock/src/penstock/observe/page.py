"""The page `/metrics`: Penstock's metrics, those that handlers registered, and those of the process."""

from __future__ import annotations

import gzip
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.observe.collector import Collector
from penstock.observe.events import Event
from penstock.observe.logs import Log

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

LEVEL = 5
"""Compression level: nearly the best size, in a third of the time."""

log = Log(logging.getLogger(__name__))


@dataclass(frozen=True, slots=True)
class Page:
    """The answer to one scrape."""

    content_type: str
    body: bytes
    compressed: bool


class Pages:
    """Renders the page. The first scrape imports `prometheus_client`, so that workers start without it."""

    def __init__(self, collector: Collector, registry: CollectorRegistry | None = None) -> None:
        self._collector = collector
        self._registry = registry
        self._broken = False

    def page(self, accept: str, accept_encoding: str) -> Page:
        """Render in the requested format and compression."""
        from prometheus_client import REGISTRY, exposition  # noqa: PLC0415 - as the class says

        registry = REGISTRY if self._registry is None else self._registry
        self._collector.register_with(registry)
        encode, content_type = exposition.choose_encoder(accept)
        try:
            body = encode(registry)
            self._broken = False
        except Exception as error:  # noqa: BLE001 - another collector failed; ours is shown alone
            if not self._broken:
                log.event(Event.METRICS_COLLECTOR_FAILED, error)
            self._broken = True
            body = encode(self._collector)
        if exposition.gzip_accepted(accept_encoding):
            return Page(content_type, gzip.compress(body, LEVEL), compressed=True)
        return Page(content_type, body, compressed=False)
