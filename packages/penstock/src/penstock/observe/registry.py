"""Penstock's metrics on a program's own registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.observe.collector import process_collector

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


def metrics(registry: CollectorRegistry | None = None) -> None:
    """Add Penstock's metrics of this process to a registry of `prometheus_client`, by default its `REGISTRY`.

    Workers, janitors and schedulers export them at `/metrics` themselves. A program that sends calls this at any time;
    a second call changes nothing.
    """
    from prometheus_client import REGISTRY  # noqa: PLC0415 - takes 30 ms

    process_collector().register_with(REGISTRY if registry is None else registry)
