"""With the first line of a spec, the YAML language server completes, explains and checks it."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.needs("yaml-language-server")

SPEC = """\
# yaml-language-server: $schema=../generated/schemas/pipeline.schema.json
kind: pipeline
name: resize
owner: {team: media}
handler: media.jobs:resize
image: registry.example/media:1.0.0
work:
  timeout: 60
  l
stram: {}
environments:
  dev:
    work.timeout: 3s
    s
s
"""


@pytest.fixture
def spec(editor: Any) -> str:  # noqa: ANN401 - the class is in a conftest
    uri: str = editor.open("specs/resize.yaml", SPEC)
    return uri


def test_hover_explains_a_field(editor: Any, spec: str) -> None:  # noqa: ANN401 - as above
    shown = editor.hover(spec, 8, 5)
    assert "How long one attempt may take." in shown
    assert "By default `60s`" in shown


def test_fields_are_completed_in_sections_at_the_top_and_in_overrides(editor: Any, spec: str) -> None:  # noqa: ANN401 - as above
    assert {"lease", "concurrency"} <= set(editor.completions(spec, 9, 4))
    assert {"scaling", "stream", "shutdown"} <= set(editor.completions(spec, 15, 2))
    assert {"stream.key", "scaling.replicas.max"} <= set(editor.completions(spec, 14, 6))


def test_errors_are_marked(editor: Any) -> None:  # noqa: ANN401 - as above
    complete = "\n".join(line for line in SPEC.splitlines() if line.strip() not in ("l", "s")) + "\n"
    uri = editor.open("specs/complete.yaml", complete)
    errors = {(one["range"]["start"]["line"] + 1, one["message"]) for one in editor.diagnostics[uri]}
    assert errors == {(8, 'Incorrect type. Expected "string".'), (9, "Property stram is not allowed.")}


def test_fields_are_completed_in_the_platform_file(editor: Any) -> None:  # noqa: ANN401 - as above
    text = "# yaml-language-server: $schema=generated/schemas/platform.schema.json\nkind: platform\ndefaults:\n  w\n"
    uri = editor.open("other.yaml", text)
    assert "work.timeout" in editor.completions(uri, 4, 4)
