"""JSON for people is laid out as `json` lays it out, whatever stands in it."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from penstock_spec.values.json_text import pretty

SINGLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SINGLE, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


@given(VALUES, st.booleans())
def test_it_is_the_same_text(value: Any, sort_keys: bool) -> None:  # noqa: ANN401, FBT001 - whatever JSON holds
    """Numbers that no other language has, empty lists and lone characters too."""
    expected = json.dumps(value, indent=2, ensure_ascii=False, sort_keys=sort_keys)
    assert pretty(value, sort_keys=sort_keys) == expected
