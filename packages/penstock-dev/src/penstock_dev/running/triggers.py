"""The numbers that KEDA would read of a pipeline, asked as its scalers ask for them."""

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
    """By trigger. None stands for a trigger that fails."""

    depth: int | None
    parked: int | None
    lag: int | None
    pending: int | None
    oldest: float | None
    """Seconds, as the janitor tells it."""


TRIGGERS = tuple(one.name for one in fields(TriggerValues))


async def readings(link: Link, keys: PipelineKeys, name: str, janitor: int | None) -> Readings:
    """By the names that the triggers have in the ScaledObject; the janitor answers at this port."""
    try:
        told = await trigger_values(link, keys, name, janitor)
    except RedisTrouble as trouble:
        return dict.fromkeys(TRIGGERS, Failed.ANSWERED if isinstance(trouble, Refused) else Failed.ABSENT)
    found = {trigger: getattr(told, trigger) for trigger in TRIGGERS}
    return {trigger: Failed.ANSWERED if value is None else float(value) for trigger, value in found.items()}


async def trigger_values(link: Link, keys: PipelineKeys, name: str, janitor: int | None) -> TriggerValues:
    """Read them. Raises RedisTrouble where there is no Redis to ask."""
    depth, parked, groups, pending = await link.calls(
        [
            ("XLEN", keys.stream),
            ("ZCARD", keys.parked),
            ("XINFO", "GROUPS", keys.stream),
            ("XPENDING", keys.stream, keys.group),
        ]
    )
    length = _number(depth)
    return TriggerValues(
        length,
        _number(parked),
        _lag(groups, keys.group, length),
        None if isinstance(pending, Refused) else number(items(pending)[0]),
        None if janitor is None else await _oldest(janitor, name),
    )


def _number(reply: Reply | Refused) -> int | None:
    return None if isinstance(reply, Refused) else number(reply)


def _lag(groups: Reply | Refused, group: str, length: int | None) -> int | None:
    """Where the group or the key is missing KEDA reads XLEN instead; a lag that Redis cannot tell counts as none."""
    if isinstance(groups, Refused):
        return length
    own = next((one for one in map(mapping, items(groups)) if text(one[b"name"]) == group), None)
    if own is None:
        return length
    lag = own.get(b"lag")
    return 0 if lag is None else number(lag)


async def _oldest(port: int, name: str) -> float | None:
    told = await http_get(port, f"/pipelines/{name}/oldest")
    if told is None:
        return None
    try:
        return float(json.loads(told)["seconds"])
    except (ValueError, KeyError, TypeError):
        return None
