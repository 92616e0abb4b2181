"""Alerts that are quiet and fire as their generated tests say, by promtool."""

import subprocess
from pathlib import Path


def test_each_is_quiet_and_fires(root: Path) -> None:
    """At its threshold, before its time, and beyond both."""
    rules = sorted((root / "generated").glob("*/*/rules.yaml"))
    assert len(rules) == 12
    tests = [file.with_name("rules.test.yaml") for file in rules]
    for verb, on in (("check", rules), ("test", tests)):
        ran = subprocess.run(["promtool", verb, "rules", *on], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
