"""Creates the consumer group of a pipeline."""

from __future__ import annotations

from typing import Literal, cast

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import text
from penstock.scripts import script
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline

UNTIL_DONE, HISTORY = "until-done", "history"

GroupState = Literal["there", "made", "again"]
"""`again`: the group had vanished or was set back. The janitor and the workers bring its messages back."""


async def ensure_group(link: Link, keys: PipelineKeys, spec: Pipeline, delivered: bytes = b"") -> GroupState:
    """Create the group if it does not exist: at the start of the stream or, if it vanished, where no fence repeats.

    `delivered` is an id that was delivered before, if an earlier one was delivered as new: the group was set back.
    """
    reply = await link.run(
        script("ensure"),
        (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished, keys.alive),
        (keys.group, UNTIL_DONE if spec.stream.retention.keeps_nothing else HISTORY, delivered),
    )
    return cast("GroupState", text(reply))
