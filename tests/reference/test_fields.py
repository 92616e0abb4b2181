"""Every field has a true description, example and default."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from penstock_spec.fields import FieldAt, fields_of
from penstock_spec.kinds import kinds
from penstock_spec.model import Section
from penstock_spec.platform import Platform
from penstock_spec.reading import read
from penstock_spec.reference import values
from penstock_spec.reference.types import in_words
from penstock_spec.values.yaml_text import flow

MODELS: list[type[Section]] = [*(kind.model for kind in kinds().values()), Platform]
FIELDS = [pytest.param(model, one, id=f"{model.__name__}-{one.path}") for model in MODELS for one in fields_of(model)]


@pytest.mark.parametrize(("model", "field"), FIELDS)
def test_every_field_has_a_description_an_example_and_a_type(model: type[Section], field: FieldAt) -> None:
    """The description is a sentence."""
    assert (field.info.description or "").endswith("."), model
    assert len(field.info.examples or []) == 1
    assert in_words(field.info.annotation, field.info.metadata)


@pytest.mark.parametrize(("model", "field"), FIELDS)
def test_every_example_is_valid_at_its_path(
    model: type[Section], field: FieldAt, around: Callable[[type[Section], FieldAt, object], dict[str, Any]]
) -> None:
    """In the smallest spec with this field."""
    model.model_validate(around(model, field, values.example(field.info)))


@pytest.mark.parametrize(("model", "field"), FIELDS)
def test_defaults_and_examples_can_be_copied_into_a_spec(model: type[Section], field: FieldAt) -> None:
    """YAML reads the same value back."""
    shown = [values.example(field.info)]
    shown += [] if field.required or values.derived(field.info) else [values.default(field.info)]
    for value in shown:
        document = read(f"{model.__name__}.yaml", f"key: {flow(value)}\n".encode())
        assert document.data == {"key": value}


@pytest.mark.parametrize(("model", "field"), FIELDS)
def test_every_documented_default_is_the_default(
    model: type[Section], field: FieldAt, around: Callable[[type[Section], FieldAt, object], dict[str, Any]]
) -> None:
    """A spec with the written default equals a spec without it."""
    if field.required or values.derived(field.info):
        return
    required = _other_required_fields(model, field, around)
    written = field.owner.model_validate(required | {_key(field): values.default(field.info)})
    left_out = field.owner.model_validate(required)
    assert written == left_out


def _key(field: FieldAt) -> str:
    return field.info.alias or field.name


def _other_required_fields(
    model: type[Section], field: FieldAt, around: Callable[[type[Section], FieldAt, object], dict[str, Any]]
) -> dict[str, Any]:
    """The other required fields of the field's section."""
    section: Any = around(model, field, None)
    for step in field.path.replace("[]", ".0").replace("*", "chosen").split(".")[:-1]:
        section = section[int(step) if step == "0" else step]
    return {key: value for key, value in section.items() if key != _key(field)}


def test_zero_is_accepted_only_where_it_has_a_meaning(
    around: Callable[[type[Section], FieldAt, object], dict[str, Any]],
) -> None:
    """Waits and limits that can be off, and fields with a rule about zero."""
    zeros = {"duration": "0s", "size": "0", "CPU quantity": "0"}
    accepted = {
        one.path
        for model in MODELS
        for one in fields_of(model)
        for kind, zero in zeros.items()
        if in_words(one.info.annotation, one.info.metadata).startswith(kind)
        and _accepts(model, around(model, one, zero))
    }
    assert accepted == {
        *(f"{of}.{wait}" for of in ("retries.backoff", "retries.classes.*.backoff") for wait in ("first", "limit")),
        *(f"scaling.{one}" for one in ("poll", "cooldown", "scale_down.window", "scale_down.at_most.per")),
        "send.backoff.first",
        "shutdown.grace",
        *("jitter.registration", "jitter.shutdown", "health.summary"),
        *(f"{of}.budget" for of in ("refresh", "cleanup.zombies", "cleanup.orphans")),
        *(f"cleanup.{of}.threshold" for of in ("zombies", "zombies.exceptional", "orphans")),
    }


def _accepts(model: type[Section], data: dict[str, Any]) -> bool:
    try:
        model.model_validate(data)
    except ValidationError:
        return False
    return True
