"""Entries of a stream as they are, byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from event_loop import run_async
from pipelines import KEY, Trial


def entries(trial: Trial, key: str) -> list[tuple[bytes, list[bytes]]]:
    """All of a stream: ids, and names and values in turn."""

    async def ask() -> list[tuple[bytes, list[bytes]]]:
        link = trial.target.link(KEY)
        try:
            return cast("list[tuple[bytes, list[bytes]]]", await link.call("XRANGE", key, "-", "+"))
        finally:
            await link.close()

    return run_async(ask())


def add(trial: Trial, fields: Sequence[bytes | str], id_: str = "*") -> str:
    """One entry, whatever is in it."""
    return str(trial.ask("XADD", KEY, id_, *fields))
