"""Runs an example of a rule as `penstock lint` would."""

from collections.abc import Callable
from pathlib import Path

import pytest

from penstock_spec.examples import Example
from penstock_spec.findings import Finding
from penstock_spec.reference.run import run as run_in

Run = Callable[[Example], tuple[Finding, ...]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Returns all findings in the repository of an example."""
    return lambda example: run_in(tmp_path, example).findings
