"""Reads and writes entries of a stream byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from event_loop import run_async
from pipelines import KEY, Trial


def entries(trial: Trial, key: str) -> list[tuple[bytes, list[bytes]]]:
    """All entries of a stream: their ids, and names and values in turn."""

    async def read() -> list[tuple[bytes, list[bytes]]]:
        link = trial.target.link(KEY)
        try:
            return cast("list[tuple[bytes, list[bytes]]]", await link.call("XRANGE", key, "-", "+"))
        finally:
            await link.close()

    return run_async(read())


def add(trial: Trial, fields: Sequence[bytes | str], id_: str = "*") -> str:
    """Add an entry with any fields and return its id."""
    return str(trial.ask("XADD", KEY, id_, *fields))
