"""Bodies above `message.max_size` that a read delivered: Redis copies them into their dead letters.

A claim leaves such bodies in Redis (`claim.lua`), but XREADGROUP cannot. To send one back for its dead letter would
take several times its size.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.worker.delivery import Delivery

KEPT = (b"penstock-id", b"penstock-key")
"""Penstock's own fields, which are needed to bury the message."""
SMALL = 65536
"""Bytes above which not even these are kept."""


def leave_out_large_body(delivery: Delivery, body_field: str, max_size: int) -> None:
    """Forget the body if it is above the limit: Redis copies it into the dead letter."""
    pairs = list(zip(delivery.fields[::2], delivery.fields[1::2], strict=True))
    size = body_size(pairs, body_field.encode())
    if size > max_size:
        delivery.left_out = size
        delivery.fields = [part for pair in pairs if pair[0] in KEPT and len(pair[1]) <= SMALL for part in pair]


def body_size(pairs: Sequence[tuple[bytes, bytes]], body_field: bytes) -> int:
    """The bytes of a body, as `weigh.lua` counts them: its field, or all fields that are not Penstock's."""
    if body_field:
        return next((len(value) for name, value in pairs if name == body_field), 0)
    return sum(len(name) + len(value) for name, value in pairs if not name.startswith(b"penstock-"))
