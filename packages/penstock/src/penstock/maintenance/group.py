"""The group is there before anybody reads."""

from __future__ import annotations

from typing import Literal, cast

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import text
from penstock.scripts import script
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline

UNTIL_DONE, HISTORY = "until-done", "history"

GroupState = Literal["there", "made", "again"]
"""`again`: it had vanished. What it had given out and is left in the stream is for the janitor to bring back."""


async def ensure(link: Link, keys: PipelineKeys, spec: Pipeline) -> GroupState:
    """Make the group if need be: at the stream's beginning, or, where it vanished, where no fence is given twice."""
    reply = await link.run(
        script("ensure"),
        (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished),
        (keys.group, UNTIL_DONE if spec.stream.retention.keeps_nothing else HISTORY),
    )
    return cast("GroupState", text(reply))
