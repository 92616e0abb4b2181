"""Parses the reply of `claim.lua`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from penstock.keys import READY, SUSPECT
from penstock.wire.errors import Reply
from penstock.worker.delivery import Delivery


def claimed_delivery(row: Reply, consumer: str) -> Delivery:
    """Parse an entry of the reply. A suspect gets one more attempt, alone; if lost again, it is dead."""
    id_, count, uncharged, source, fields, alone, left_out = cast(
        "tuple[bytes, int, int, bytes, Sequence[bytes], int, int]", row
    )
    delivery = Delivery(id_, fields, consumer, count, uncharged, SUSPECT if source == SUSPECT.encode() else READY)
    delivery.lost_isolated = alone == 1
    delivery.left_out = left_out
    return delivery


def weight(delivery: Delivery) -> int:
    """The bytes that the script counted for a delivery, about."""
    return delivery.left_out + sum(map(len, delivery.fields))
