"""`producer.py`: a typed module for programs that send without Penstock; it needs only a Redis client.

Texts of the spec get into it only as literals, so that none can become code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.kinds.pipeline.producer.definitions import alias, definition
from penstock_generate.kinds.pipeline.producer.object_types import ObjectTypes
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.kinds.pipeline.message.flat import FieldTypes
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.stream import JsonField


def producer(it: PlannedSpec, schema: dict[str, Any], templates: Templates) -> Artifact:
    """The file."""
    spec: Pipeline = it.spec
    shapes = ObjectTypes(schema)
    values = {
        "name": spec.name,
        "environment": it.environment,
        "stream": spec.stream.key,
        "max_size": spec.message.max_size.amount,
        "typing": Markup(", ").join(sorted(_typing(shapes))),
        "types": Markup(_types(shapes)),  # noqa: S704 - it is Python, and its texts are literals
        **_encoding(spec, schema),
    }
    return templates.artifact(f"{it.folder}/producer.py", "pipeline/producer.py", values)


def _typing(shapes: ObjectTypes) -> Iterator[str]:
    """The names to import from `typing`."""
    yield from ("Any", "Protocol")
    fields = [field for shape in shapes.objects for field in shape.fields]
    if any("Literal[" in type_ for type_ in (shapes.alias or "", *(one.type for one in fields))):
        yield "Literal"
    if not all(one.required for one in fields):
        yield "NotRequired"
    if fields:
        yield "TypedDict"


def _types(shapes: ObjectTypes) -> str:
    sources = [definition(one) for one in shapes.objects]
    if shapes.alias is not None:
        sources.append(alias(shapes.alias))
    return "\n\n".join(sources)


def _encoding(spec: Pipeline, schema: dict[str, Any]) -> dict[str, Any]:
    encoding = spec.message.encoding
    if isinstance(encoding, JsonField):
        return {"field": encoding.json_}
    types = FieldTypes.of(schema)
    return {
        "field": None,
        "field_types": {name: sorted(json_types) for name, json_types in types.named.items() if json_types},
        "other_types": sorted(types.others),
    }
