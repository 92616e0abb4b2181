"""The schema of a pipeline's messages, from its spec or from the file beside it."""

from pathlib import Path
from typing import Any

import pytest

from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.message.schema_of import schema_of
from penstock_spec.kinds.pipeline.spec import Pipeline


def spec(schema: dict[str, Any]) -> Pipeline:
    return Pipeline.model_validate(
        {
            "kind": "pipeline",
            "name": "thumbnails",
            "owner": {"team": "media"},
            "handler": "media.jobs:handle",
            "image": "registry.example/media:1.0.0",
            "message": {"schema": schema},
        }
    )


def test_a_schema_in_the_spec_is_taken_as_it_is(tmp_path: Path) -> None:
    assert schema_of(spec({"type": "object", "required": ["a"]}), tmp_path) == {"type": "object", "required": ["a"]}


@pytest.mark.parametrize(
    ("asked", "file"),
    [
        ({"model": "media.jobs:Job"}, "thumbnails.message.json"),
        ({"model": "media.jobs:Job", "file": "schemas/job.json"}, "schemas/job.json"),
    ],
)
def test_a_schema_from_code_is_read_from_its_file(asked: dict[str, str], file: str, tmp_path: Path) -> None:
    """The code itself is not asked: a producer need not have it."""
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"type": "object", "required": ["a"]}')
    assert schema_of(spec(asked), tmp_path) == {"type": "object", "required": ["a"]}


FROM_CODE = {"model": "media.jobs:Job"}


def test_a_file_that_is_missing_says_how_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(CannotGoOn) as told:
        schema_of(spec(FROM_CODE), tmp_path)
    assert told.value.says == (
        "the message schema of `thumbnails` cannot be read: `thumbnails.message.json`: there is no such file"
    )
    assert told.value.hint == "write it with `penstock schema message --write`"


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("{", "it is not JSON: Expecting property name enclosed in double quotes in line 1"),
        ("[]", "`[]` is not a schema"),
        ('{"type": "objekt"}', "`type` cannot be `objekt` (at `/type`)"),
        ('{"$ref": "http://elsewhere.example"}', "`http://elsewhere.example` is outside the schema"),
    ],
)
def test_a_file_that_holds_no_schema_says_where(raw: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "thumbnails.message.json").write_text(raw)
    with pytest.raises(CannotGoOn) as told:
        schema_of(spec(FROM_CODE), tmp_path)
    assert told.value.says.startswith(f"`thumbnails.message.json` of `thumbnails` is not a JSON Schema: {says}")


def test_a_spec_that_was_not_linted_is_looked_at_all_the_same(tmp_path: Path) -> None:
    with pytest.raises(CannotGoOn) as told:
        schema_of(spec({"type": "object", "properties": {"a": {"type": "strin"}}}), tmp_path)
    assert told.value.says == (
        "`message.schema` of `thumbnails` is not a JSON Schema: `type` cannot be `strin` (at `/properties/a/type`)"
    )
    assert told.value.hint == "write `string`"
