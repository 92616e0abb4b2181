"""The schema of messages comes from the spec or from the file next to it."""

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


def test_a_schema_in_the_spec_is_used_unchanged(tmp_path: Path) -> None:
    assert schema_of(spec({"type": "object", "required": ["a"]}), tmp_path) == {"type": "object", "required": ["a"]}


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ({"model": "media.jobs:Job"}, "thumbnails.message.json"),
        ({"model": "media.jobs:Job", "file": "schemas/job.json"}, "schemas/job.json"),
    ],
)
def test_a_schema_from_code_is_read_from_its_file(schema: dict[str, str], file: str, tmp_path: Path) -> None:
    """A producer need not have the code."""
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"type": "object", "required": ["a"]}')
    assert schema_of(spec(schema), tmp_path) == {"type": "object", "required": ["a"]}


FROM_CODE = {"model": "media.jobs:Job"}


def test_a_missing_file_has_a_hint_that_creates_it(tmp_path: Path) -> None:
    with pytest.raises(CannotGoOn) as error:
        schema_of(spec(FROM_CODE), tmp_path)
    assert error.value.says == (
        "the message schema of `thumbnails` cannot be read: `thumbnails.message.json`: there is no such file"
    )
    assert error.value.hint == "write it with `penstock schema message --write`"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("{", "it is not JSON: Expecting property name enclosed in double quotes in line 1"),
        ("[]", "`[]` is not a schema"),
        ('{"type": "objekt"}', "`type` cannot be `objekt` (at `/type`)"),
        ('{"$ref": "http://elsewhere.example"}', "`http://elsewhere.example` is outside the schema"),
    ],
)
def test_an_invalid_schema_file_fails_with_the_place(raw: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "thumbnails.message.json").write_text(raw)
    with pytest.raises(CannotGoOn) as error:
        schema_of(spec(FROM_CODE), tmp_path)
    assert error.value.says.startswith(f"`thumbnails.message.json` of `thumbnails` is not a JSON Schema: {message}")


def test_an_invalid_schema_in_an_unlinted_spec_is_found(tmp_path: Path) -> None:
    with pytest.raises(CannotGoOn) as error:
        schema_of(spec({"type": "object", "properties": {"a": {"type": "strin"}}}), tmp_path)
    assert error.value.says == (
        "`message.schema` of `thumbnails` is not a JSON Schema: `type` cannot be `strin` (at `/properties/a/type`)"
    )
    assert error.value.hint == "write `string`"
