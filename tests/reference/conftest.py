"""The smallest specs around one value."""

from collections.abc import Callable
from typing import Any

import pytest

from penstock_spec.fields import FieldAt, fields_of
from penstock_spec.model import Section, key_of

Around = Callable[[type[Section], FieldAt, object], dict[str, Any]]
Data = dict[str, Any]


@pytest.fixture(scope="session")
def around() -> Around:
    """Creates data of a model with a value at the path of a field, and else only required fields."""

    def around(model: type[Section], field: FieldAt, value: object) -> Data:
        chain = [one for one in fields_of(model) if field.path.startswith((f"{one.path}.", f"{one.path}[]."))]
        for outer, inner in reversed(list(zip([None, *chain], [*chain, field], strict=True))):
            value = required(inner.owner) | {key_of(inner.name, inner.info): value}
            between = inner.path[len(outer.path) :] if outer else ""
            if between.startswith(".*."):
                value = {"chosen": value}
            elif between.startswith("[]."):
                value = [value]
        assert isinstance(value, dict)
        return value

    return around


def required(model: type[Section]) -> Data:
    return {
        key_of(name, info): (info.examples or [])[0] for name, info in model.model_fields.items() if info.is_required()
    }
