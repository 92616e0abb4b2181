"""`schema.json`: the schema that workers use, and how a message is stored in the stream."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from planned import planned

from penstock_generate.kinds.pipeline.message_schema import message_schema
from penstock_spec.kinds.pipeline.message.schema_check import DRAFTS, NEWEST, schema_problem
from penstock_spec.kinds.pipeline.message.schema_of import schema_of

AWKWARD = 'it\'s "odd"\n``` {{ x }} --- | <b>'


def written(folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
    it = planned(folder, spec)
    content = json.loads(message_schema(it, schema_of(it.spec, it.spec_folder)).content)
    assert isinstance(content, dict)
    return content


def test_the_file_describes_how_to_send_a_message(tmp_path: Path) -> None:
    stream = {"key": "streams:pets"}
    message = {"encoding": {"json": "body"}, "max_size": "1Ki", "dedup": {"by": "id", "window": "1m"}}
    content = written(tmp_path, {"stream": stream, "message": message | {"schema": {"required": ["id"]}}})
    assert content["x-penstock"] == {
        "stream": "streams:pets",
        "encoding": {"json": "body"},
        "max_size": 1024,
        "dedup": {"by": "id", "window": 60_000},
    }
    assert content["$schema"] == NEWEST
    assert (content["title"], content["required"]) == ("pets in dev", ["id"])


def test_defaults_without_a_schema(tmp_path: Path) -> None:
    content = written(tmp_path, {"message": {"encoding": "fields"}})
    assert content["type"] == "object"
    assert content["x-penstock"]["encoding"] == "fields"
    assert content["x-penstock"]["dedup"] is None


@pytest.mark.parametrize("draft", DRAFTS)
def test_keywords_of_the_schema_stay(tmp_path: Path, draft: str) -> None:
    schema = {"$schema": draft, "title": AWKWARD, "description": AWKWARD, "properties": {AWKWARD: {"const": AWKWARD}}}
    content = written(tmp_path, {"message": {"schema": schema}})
    del content["x-penstock"]
    assert content == schema


VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", AWKWARD]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b", AWKWARD]), inner, max_size=2)
    ),
    max_leaves=5,
)
ENUMS = st.lists(VALUES, min_size=1, max_size=3, unique_by=repr).map(lambda values: {"enum": values})
SCHEMAS: Any = st.fixed_dictionaries({}, optional={
    "type": st.sampled_from(["object", ["object", "null"]]),
    "properties": st.dictionaries(st.sampled_from(["a", "b", AWKWARD]), ENUMS),
    "required": st.lists(st.sampled_from(["a", AWKWARD]), unique=True),
    "additionalProperties": st.booleans(),
})  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    SCHEMAS.filter(lambda one: schema_problem(one) is None),
    st.dictionaries(st.sampled_from(["a", "b", AWKWARD]), VALUES),
)
def test_the_file_accepts_the_same_messages_as_workers(
    tmp_path: Path, schema: dict[str, Any], body: dict[str, Any]
) -> None:
    content = written(tmp_path, {"message": {"schema": schema}})
    is_valid = jsonschema_rs.Draft202012Validator(schema).is_valid(body)
    assert jsonschema_rs.Draft202012Validator(content).is_valid(body) == is_valid
