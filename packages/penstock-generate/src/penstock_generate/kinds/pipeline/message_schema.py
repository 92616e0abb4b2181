"""`schema.json`: the JSON Schema of a message, for programs that check or create messages without Penstock.

Workers check by the same schema. `x-penstock` describes how a body is stored in a stream entry; validators ignore it.
"""

from __future__ import annotations

from typing import Any

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.rendering.artifact import Artifact
from penstock_spec.kinds.pipeline.message.schema_check import NEWEST
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.values.json_text import pretty

OURS = "x-penstock"


def message_schema(it: PlannedSpec, schema: dict[str, Any]) -> Artifact:
    """The file."""
    spec: Pipeline = it.spec
    content = {
        "$schema": NEWEST,
        "title": f"{spec.name} in {it.environment}",
        "description": f"A message in `{spec.stream.key}` for the workers of `{spec.name}`.",
        **schema,
        OURS: entry(spec),
    }
    return Artifact(f"{it.folder}/schema.json", pretty(content) + "\n", __name__)


def entry(spec: Pipeline) -> dict[str, Any]:
    """How the body is stored in an entry; sizes in bytes, times in milliseconds."""
    message = spec.message
    dedup = message.dedup
    return {
        "stream": spec.stream.key,
        "encoding": "fields" if message.encoding == "fields" else {"json": message.encoding.json_},
        "max_size": message.max_size.amount,
        "dedup": None if dedup is None else {"by": dedup.by, "window": dedup.window.amount},
    }
