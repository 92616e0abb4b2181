"""The specs of this repository are examples to follow."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from penstock_spec.linting.lint import lint
from penstock_spec.repository import open_repository, read_inputs

ROOT = Path(__file__).parents[2]


def test_the_specs_have_no_findings() -> None:
    """No errors, warnings or infos in any environment."""
    outcome = lint(read_inputs(open_repository((), None, ROOT)), (), date(2026, 1, 1)).outcome
    assert outcome.specs == len(list((ROOT / "specs").glob("*.yaml")))
    assert [f"{one.at} {one.rule}: {one.says}" for one in outcome.findings] == []
