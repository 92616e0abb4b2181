"""`schema.json`: the schema by which workers check, and how a message stands in the stream."""

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

ODD = 'it\'s "odd"\n``` {{ x }} --- | <b>'


def written(folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
    it = planned(folder, spec)
    told = json.loads(message_schema(it, schema_of(it.spec, it.beside)).content)
    assert isinstance(told, dict)
    return told


def test_a_producer_elsewhere_is_told_all_it_needs(tmp_path: Path) -> None:
    stream = {"key": "streams:pets"}
    message = {"encoding": {"json": "body"}, "max_size": "1Ki", "dedup": {"by": "id", "window": "1m"}}
    told = written(tmp_path, {"stream": stream, "message": message | {"schema": {"required": ["id"]}}})
    assert told["x-penstock"] == {
        "stream": "streams:pets",
        "encoding": {"json": "body"},
        "max_size": 1024,
        "dedup": {"by": "id", "window": 60_000},
    }
    assert told["$schema"] == NEWEST
    assert (told["title"], told["required"]) == ("pets in dev", ["id"])


def test_without_a_word_there_are_the_defaults(tmp_path: Path) -> None:
    told = written(tmp_path, {"message": {"encoding": "fields"}})
    assert told["type"] == "object"
    assert told["x-penstock"]["encoding"] == "fields"
    assert told["x-penstock"]["dedup"] is None


@pytest.mark.parametrize("draft", DRAFTS)
def test_what_the_schema_says_of_itself_stays(tmp_path: Path, draft: str) -> None:
    schema = {"$schema": draft, "title": ODD, "description": ODD, "properties": {ODD: {"const": ODD}}}
    told = written(tmp_path, {"message": {"schema": schema}})
    del told["x-penstock"]
    assert told == schema


VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", ODD]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b", ODD]), inner, max_size=2),
    max_leaves=5,
)
ENUMS = st.lists(VALUES, min_size=1, max_size=3, unique_by=repr).map(lambda values: {"enum": values})
SCHEMAS: Any = st.fixed_dictionaries({}, optional={
    "type": st.sampled_from(["object", ["object", "null"]]),
    "properties": st.dictionaries(st.sampled_from(["a", "b", ODD]), ENUMS),
    "required": st.lists(st.sampled_from(["a", ODD]), unique=True),
    "additionalProperties": st.booleans(),
})  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    SCHEMAS.filter(lambda one: schema_problem(one) is None), st.dictionaries(st.sampled_from(["a", "b", ODD]), VALUES)
)
def test_it_takes_what_workers_take(tmp_path: Path, schema: dict[str, Any], body: dict[str, Any]) -> None:
    told = written(tmp_path, {"message": {"schema": schema}})
    takes = jsonschema_rs.Draft202012Validator(schema).is_valid(body)
    assert jsonschema_rs.Draft202012Validator(told).is_valid(body) == takes
