"""Defaults and examples of fields, as values of a spec."""

from __future__ import annotations

from typing import Any

from pydantic.fields import FieldInfo

from penstock_spec.model import Section
from penstock_spec.values.quantity import Quantity
from penstock_spec.values.yaml_text import flow


def section(info: FieldInfo) -> type[Section] | None:
    """The model of a field that is a section with defaults for all its fields."""
    inside = info.annotation
    return inside if isinstance(inside, type) and issubclass(inside, Section) else None


def derived(info: FieldInfo) -> str:
    """How the default is computed from other fields; empty if it is not."""
    extra = info.json_schema_extra
    return str(extra["derived"]) if isinstance(extra, dict) and "derived" in extra else ""


def default(info: FieldInfo) -> Any:  # noqa: ANN401 - any value of a spec
    """The default, as a value of a spec."""
    value = info.get_default(call_default_factory=True, validated_data={})
    if section(info):
        return {}
    if isinstance(value, Section):
        return {key: plain(one) for key, one in value.model_dump(by_alias=True).items()}
    return plain(value)


def plain(value: Any) -> Any:  # noqa: ANN401 - as above
    """A value of a model, as a value of a spec."""
    return str(value) if isinstance(value, Quantity) else value


def default_in_words(info: FieldInfo) -> str:
    """The default in words, or `required`."""
    if info.is_required():
        return "required"
    if follows := derived(info):
        return f"derived: `{follows}`"
    return "" if section(info) else f"`{flow(default(info))}`"


def example(info: FieldInfo) -> Any:  # noqa: ANN401 - as above
    """The example, as a value of a spec."""
    return (info.examples or [None])[0]
