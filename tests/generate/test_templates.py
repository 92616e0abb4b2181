"""Templates write values unchanged, whatever they wrote before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock_generate.own_templates import BUILT_IN
from penstock_generate.rendering.templates import Templates

NAME = "images/worker.Dockerfile"


@pytest.mark.parametrize("values", [(1, True), (True, 1), (0, False), (1, 1.0)])
def test_sections_that_are_equal_in_python_are_distinguished(tmp_path: Path, values: tuple[Any, Any]) -> None:
    """A cache must not write one for the other."""
    assert (BUILT_IN / f"{NAME}.j2").is_file()
    own = tmp_path / f"{NAME}.j2"
    own.parent.mkdir()
    own.write_text("{{ section | block(2) }}\n")
    templates = Templates(tmp_path)
    written = [yaml.safe_load(templates.render(NAME, {"section": {"a": value}})) for value in values]
    assert [repr(one) for one in written] == [repr({"a": value}) for value in values]
