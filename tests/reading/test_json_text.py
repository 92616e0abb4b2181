"""Indented JSON equals that of `json`."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from penstock_spec.values.json_text import pretty

SINGLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SINGLE, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


@given(VALUES, st.booleans())
def test_the_text_equals_that_of_the_json_module(value: Any, sort_keys: bool) -> None:  # noqa: ANN401, FBT001 - any JSON value
    """NaN, empty lists and lone surrogates too."""
    expected = json.dumps(value, indent=2, ensure_ascii=False, sort_keys=sort_keys)
    assert pretty(value, sort_keys=sort_keys) == expected
