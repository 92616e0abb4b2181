"""Penstock's metrics on a program's own registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.observe.board import process_board

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


def metrics(registry: CollectorRegistry | None = None) -> None:
    """Show Penstock's metrics of this process on a registry of `prometheus_client`; without one, on its `REGISTRY`.

    Workers and janitors show them at `/metrics` themselves. A program that sends calls this once, whenever it likes; a
    second time changes nothing.
    """
    from prometheus_client import REGISTRY  # noqa: PLC0415 - 30 ms, for those who call this

    process_board().show_on(REGISTRY if registry is None else registry)
