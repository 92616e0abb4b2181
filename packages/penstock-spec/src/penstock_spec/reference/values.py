"""Values of fields as one writes them in a spec: defaults and examples."""

from __future__ import annotations

from typing import Any

from pydantic.fields import FieldInfo

from penstock_spec.model import Section
from penstock_spec.values.quantity import Quantity
from penstock_spec.values.yaml_text import flow


def section(info: FieldInfo) -> type[Section] | None:
    """The model below a field that is a section: leaving it out is as leaving all its fields out."""
    inside = info.annotation
    return inside if isinstance(inside, type) and issubclass(inside, Section) else None


def derived(info: FieldInfo) -> str:
    """How the default follows from other fields, where it does."""
    extra = info.json_schema_extra
    return str(extra["derived"]) if isinstance(extra, dict) and "derived" in extra else ""


def default(info: FieldInfo) -> Any:  # noqa: ANN401 - whatever a spec can say
    """The default, as data of a spec."""
    value = info.get_default(call_default_factory=True, validated_data={})
    if section(info):
        return {}
    if isinstance(value, Section):
        return {key: plain(one) for key, one in value.model_dump(by_alias=True).items()}
    return plain(value)


def plain(value: Any) -> Any:  # noqa: ANN401 - as above
    """A value of a model as data of a spec."""
    return str(value) if isinstance(value, Quantity) else value


def default_in_words(info: FieldInfo) -> str:
    """`by default ...`, or that there is none."""
    if info.is_required():
        return "required"
    if follows := derived(info):
        return f"derived: `{follows}`"
    return "" if section(info) else f"`{flow(default(info))}`"


def example(info: FieldInfo) -> Any:  # noqa: ANN401 - as above
    """The example, as data of a spec."""
    return (info.examples or [None])[0]
