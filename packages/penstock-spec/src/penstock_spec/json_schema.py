"""JSON Schemas for editors: completion, descriptions on hover, and errors while typing.

They use draft 7, which yaml-language-server supports best. A schema may accept what the models refuse, never the other
way round; `penstock lint` finds the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import Tag, TypeAdapter, WithJsonSchema
from pydantic.fields import FieldInfo

from penstock_spec.kinds import Kind, kinds
from penstock_spec.layers import FIXED
from penstock_spec.model import Section
from penstock_spec.platform import Platform
from penstock_spec.reference import values
from penstock_spec.reference.types import in_words, keys_of
from penstock_spec.values.bounds import AtLeast
from penstock_spec.values.quantities import Cpu, Duration
from penstock_spec.values.quantity import Quantity
from penstock_spec.values.yaml_text import flow

Schema: TypeAlias = dict[str, Any]

DRAFT = "http://json-schema.org/draft-07/schema#"
PLAIN: dict[Any, Schema] = {bool: {"type": "boolean"}, int: {"type": "integer"}, str: {"type": "string"}, Any: {}}
BOUNDS = {Ge: ("ge", "minimum"), Gt: ("gt", "exclusiveMinimum"), Le: ("le", "maximum"), Lt: ("lt", "exclusiveMaximum")}
LENGTHS = {"string": "Length", "array": "Items", "object": "Properties"}


def files() -> dict[str, str]:
    """All schemas by the names of their files, to which specs point."""
    schemas = {"platform": platform_schema(), **{name: spec_schema(kind) for name, kind in kinds().items()}}
    return {
        f"{name}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }


def spec_schema(kind: Kind) -> Schema:
    """The schema of a spec's file."""
    schema: Schema = {"$schema": DRAFT, "title": f"Penstock: a {kind.name}", **_section(kind.model)}
    overrides = _overrides({kind.name: schema}, {kind.name: "#"})
    overrides["description"] = "Overrides of this environment: the path of a field, and its value there."
    schema["properties"]["environments"]["additionalProperties"] = {"$ref": "#/definitions/overrides"}
    return {**schema, "definitions": {"overrides": overrides}}


def platform_schema() -> Schema:
    """The schema of the platform file."""
    schema: Schema = {"$schema": DRAFT, "title": "Penstock: the platform file", **_section(Platform)}
    specs = {name: _overridable(_section(kind.model)) for name, kind in kinds().items()}
    defaults = _overrides(specs, {name: f"#/definitions/{name}" for name in specs})
    defaults["description"] = "Defaults for fields of specs: the path of a field, and its value."
    inside = schema["properties"]["environments"]["additionalProperties"]
    for properties in (schema["properties"], inside["properties"]):
        for keyword in ("type", "additionalProperties"):
            del properties["defaults"][keyword]
        properties["defaults"]["allOf"] = [{"$ref": "#/definitions/defaults"}]
    return {**schema, "definitions": {"defaults": defaults, **specs}}


def _overridable(schema: Schema) -> Schema:
    return {"properties": {key: one for key, one in schema["properties"].items() if key not in FIXED}}


def _overrides(specs: dict[str, Schema], roots: dict[str, str]) -> Schema:
    """Paths as keys, each with the schema of its field; a path of several kinds accepts the values of any of them."""
    fields_by_path: dict[str, dict[str, tuple[str, Schema]]] = {}
    for name, schema in specs.items():
        for path, pointer, inner in _places(_overridable(schema), roots[name], ""):
            fields_by_path.setdefault(path, {})[name] = (pointer, inner)
    offered = {path: _of_kinds(fields) for path, fields in fields_by_path.items()}
    chosen = {path: one for path, one in offered.items() if "*" in path}
    return {
        "type": "object",
        "properties": {path: one for path, one in offered.items() if path not in chosen},
        "patternProperties": {
            "^" + path.replace(".", r"\.").replace("*", "[^.]+") + "$": one for path, one in chosen.items()
        },
        "additionalProperties": False,
    }


def _of_kinds(fields: dict[str, tuple[str, Schema]]) -> Schema:
    """One field of several kinds. Editors show no descriptions inside `anyOf`, so they are beside it."""
    refs = [{"$ref": pointer} for pointer, _ in fields.values()]
    if len(refs) == 1:
        return refs[0]
    merged: Schema = {"anyOf": refs}
    for keyword in ("description", "markdownDescription"):
        words = {name: schema[keyword] for name, (_, schema) in fields.items() if keyword in schema}
        if len(set(words.values())) == 1:
            merged[keyword] = next(iter(words.values()))
        elif words:
            merged[keyword] = "\n\n".join(f"In a {name}: {one}" for name, one in words.items())
    examples = next((schema["examples"] for _, schema in fields.values() if "examples" in schema), None)
    return {**merged, "examples": examples} if examples is not None else merged


def _places(schema: Schema, pointer: str, path: str) -> Iterator[tuple[str, str, Schema]]:
    """The path of every field of a schema, the JSON pointer to its schema, and the schema.

    Items of lists have no path, and a section that always exists cannot be overridden as a whole.
    """
    for key, inner in schema.get("properties", {}).items():
        where, here = f"{path}.{key}".lstrip("."), f"{pointer}/properties/{key}"
        if inner.get("type") != "object" or inner.get("additionalProperties") is not False:
            yield where, here, inner
        yield from _places(inner, here, where)
    for index, branch in enumerate(schema.get("anyOf", ())):
        yield from _places(branch, f"{pointer}/anyOf/{index}", path)
    if isinstance(chosen := schema.get("additionalProperties"), dict):
        yield f"{path}.*", f"{pointer}/additionalProperties", chosen
        yield from _places(chosen, f"{pointer}/additionalProperties", f"{path}.*")


def _section(model: type[Section]) -> Schema:
    """The schema of a model without references, so that editors show everything in place."""
    fields = keys_of(model)
    required = [key for key, info in fields.items() if info.is_required()]
    return {
        "type": "object",
        "description": (model.__doc__ or "").strip(),
        "properties": {key: _property(key, info) for key, info in fields.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _property(key: str, info: FieldInfo) -> Schema:
    description, example = info.description or "", values.example(info)
    default_text = values.default_in_words(info)
    by_default = {"": "", "required": "Required."}.get(
        default_text, f"By default {default_text.removeprefix('derived: ')}."
    )
    kind = in_words(info.annotation, info.metadata)
    if (model := values.section(info)) is not None:
        kind = "fields: " + ", ".join(f"`{one}`" for one in keys_of(model))
    hover = f"{description}\n\n{kind[:1].upper()}{kind[1:]}. {by_default}".rstrip()
    schema = _type(info.annotation, info.metadata)
    schema["description"] = f"{description} {by_default}".rstrip()
    schema["markdownDescription"] = f"{hover}\n\nExample: `{key}: {flow(example)}`"
    if not info.is_required() and not values.derived(info) and (default := values.default(info)) is not None:
        schema["default"] = default  # never null: the YAML language server would complete nothing around it
    schema["examples"] = [example]
    return schema


def _type(annotation: Any, metadata: Sequence[Any] = ()) -> Schema:  # noqa: ANN401 - any type expression
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(arguments[0], (*arguments[1:], *metadata))
    if origin in (Union, UnionType):
        return _union(arguments, metadata)
    return _bounded(_leaf(annotation, metadata), metadata)


def _leaf(annotation: Any, metadata: Sequence[Any]) -> Schema:  # noqa: ANN401 - as above
    for one in metadata:
        if isinstance(one, WithJsonSchema):
            return dict(one.json_schema or {})
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return _section(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Quantity):
        return _quantity(annotation)
    return _generic(annotation) if get_origin(annotation) else dict(PLAIN[annotation])


def _generic(annotation: Any) -> Schema:  # noqa: ANN401 - as above
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return {"type": "string", **({"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)})}
    if origin is list:
        return {"type": "array", "items": _type(arguments[0])}
    names = {} if arguments[0] is str else {"propertyNames": _type(arguments[0])}
    return {"type": "object", **names, "additionalProperties": _type(arguments[1]) or True}


def _quantity(quantity: type[Quantity]) -> Schema:
    schema = {key: one for key, one in TypeAdapter(quantity).json_schema().items() if key != "examples"}
    # every part of a duration may be missing, but not all of them
    return {**schema, "minLength": 1} if quantity is Duration else schema


def _bounded(schema: Schema, metadata: Sequence[Any]) -> Schema:
    for one in metadata:
        if type(one) in BOUNDS:
            attribute, keyword = BOUNDS[type(one)]
            schema[keyword] = getattr(one, attribute)
        elif isinstance(one, AtLeast):
            schema |= _at_least(one, schema)
        elif isinstance(one, MinLen):
            schema[f"min{LENGTHS[schema['type']]}"] = one.min_length
        elif isinstance(one, MaxLen):
            schema[f"max{LENGTHS[schema['type']]}"] = one.max_length
    return schema


def _at_least(bound: AtLeast, schema: Schema) -> Schema:
    """Bounds for numbers; for text a schema can only require a digit other than 0."""
    least = bound.least.amount / 1000 if isinstance(bound.least, Cpu) else bound.least.amount
    pattern = schema["pattern"].removeprefix("^")
    return {"pattern": f"^(?=.*[1-9]){pattern}", **({"minimum": least} if "minimum" in schema else {})}


def _union(arguments: tuple[Any, ...], metadata: Sequence[Any]) -> Schema:
    branches = [one for one in arguments if one is not NoneType]
    if len(branches) > 1:
        return {"anyOf": _make_exclusive([_branch(one) for one in branches])}
    schema = _type(
        branches[0], metadata
    )  # `X | None`: one schema with two types is easier to complete than two schemas
    types = schema["type"]
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return {**schema, "type": [*(types if isinstance(types, list) else [types]), "null"]}


def _branch(annotation: Any) -> Schema:  # noqa: ANN401 - as above
    tag = next(one.tag for one in get_args(annotation)[1:] if isinstance(one, Tag))
    return {"title": tag.removeprefix("~"), **_type(annotation)}


def _make_exclusive(branches: list[Schema]) -> list[Schema]:
    """Exclude the values of other branches from a branch that accepts any mapping."""
    known = [one["required"] for one in branches if one.get("required")]
    for one in branches:
        if one.get("additionalProperties") is True:
            one["not"] = {"anyOf": [{"required": keys} for keys in known]}
    return branches
