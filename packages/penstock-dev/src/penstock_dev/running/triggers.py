"""Reads the values of a pipeline's triggers, with the same commands as KEDA's scalers."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, mapping, number, text
from penstock.wire.errors import RedisTrouble, Refused, Reply
from penstock.wire.link import Link
from penstock_dev.running.http_get import http_get
from penstock_scaling import Failed, Readings


@dataclass(frozen=True, slots=True)
class TriggerValues:
    """The value of each trigger; None means that the trigger fails."""

    depth: int | None
    parked: int | None
    finished: int | None
    lag: int | None
    pending: int | None
    oldest: float | None
    """In seconds, from the janitor's HTTP API."""


TRIGGERS = tuple(one.name for one in fields(TriggerValues))


async def read_triggers(link: Link, keys: PipelineKeys, name: str, janitor: int | None) -> Readings:
    """Read the triggers by their names in the ScaledObject. `janitor` is the port of its HTTP API."""
    try:
        values = await trigger_values(link, keys, name, janitor)
    except RedisTrouble as error:
        return dict.fromkeys(TRIGGERS, Failed.ERROR if isinstance(error, Refused) else Failed.UNREACHABLE)
    by_name = {trigger: getattr(values, trigger) for trigger in TRIGGERS}
    return {trigger: Failed.ERROR if value is None else float(value) for trigger, value in by_name.items()}


async def trigger_values(link: Link, keys: PipelineKeys, name: str, janitor: int | None) -> TriggerValues:
    """Read the values. Raises RedisTrouble when Redis is unreachable."""
    depth, parked, finished, groups, pending = await link.calls(
        [
            ("XLEN", keys.stream),
            ("ZCARD", keys.parked),
            ("SCARD", keys.finished),
            ("XINFO", "GROUPS", keys.stream),
            ("XPENDING", keys.stream, keys.group),
        ]
    )
    length = _number(depth)
    return TriggerValues(
        length,
        _number(parked),
        _number(finished),
        _lag(groups, keys.group, length),
        None if isinstance(pending, Refused) else number(items(pending)[0]),
        None if janitor is None else await _oldest(janitor, name),
    )


def _number(reply: Reply | Refused) -> int | None:
    return None if isinstance(reply, Refused) else number(reply)


def _lag(groups: Reply | Refused, group: str, length: int | None) -> int | None:
    """KEDA reads XLEN when the group or the key is missing, and an unknown lag as 0."""
    if isinstance(groups, Refused):
        return length
    own = next((one for one in map(mapping, items(groups)) if text(one[b"name"]) == group), None)
    if own is None:
        return length
    lag = own.get(b"lag")
    return 0 if lag is None else number(lag)


async def _oldest(port: int, name: str) -> float | None:
    response = await http_get(port, f"/pipelines/{name}/oldest")
    if response is None:
        return None
    try:
        return float(json.loads(response)["seconds"])
    except (ValueError, KeyError, TypeError):
        return None
