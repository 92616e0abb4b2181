"""Alerts that are quiet and fire as their generated tests say, by promtool."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from planned import TEMPLATES, planned
from scheduler_specs import SPECS, file, planned_scheduler

from penstock_generate.kinds.pipeline import emit

OURS = '{namespace="pipelines",pipeline="media-cluster"}'


def test_each_is_quiet_and_fires(root: Path) -> None:
    """At its threshold, before its time, and beyond both."""
    rules = sorted((root / "generated").glob("*/*/rules.yaml"))
    assert len(rules) == 14
    tests = [file.with_name("rules.test.yaml") for file in rules]
    for verb, on in (("check", rules), ("test", tests)):
        ran = subprocess.run(["promtool", verb, "rules", *on], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("counted", "kept", "fires"),
    [
        ("0x10 1x30", "5x40", True),  # as one of those that are kept was too old
        ("1x40", "0x10 1x30", True),  # by a worker that was started for it
        ("_x10 1x30", "_x10 0x5 1x25", True),  # and when a janitor has just begun
        ("1x40", "5x10 2x30", False),  # some were purged
        ("1x40", "_x10 5x30", False),  # those that are kept are told for the first time
        ("_x40", "_x40", False),
    ],
)
def test_a_dead_letter_is_seen_however_short_its_worker_lived(
    root: Path,
    tmp_path: Path,
    counted: str,
    kept: str,
    fires: bool,  # noqa: FBT001 - a case
) -> None:
    """By what grows between two scrapes of a worker, or by what the janitor tells."""
    told = {f"penstock_dead_total{OURS}": counted, f"penstock_dead_letters{OURS}": kept}
    asked = {"expr": 'count(ALERTS{alertname="PenstockDeadLetters"})', "eval_time": "20m"}
    answer = [{"labels": "{}", "value": 1}] if fires else []
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in told.items()],
        "promql_expr_test": [asked | {"exp_samples": answer}],
    }
    rules = str(root / "generated/production/media-cluster/rules.yaml")
    (tmp_path / "test.yaml").write_text(json.dumps({"rule_files": [rules], "tests": [test]}))
    ran = subprocess.run(
        ["promtool", "test", "rules", tmp_path / "test.yaml"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_time_that_it_must_hold_is_tested(root: Path, tmp_path: Path) -> None:
    """Alerts that fired at once would not pass their generated tests."""
    for folder in ("jobs", "_environment"):
        there = root / "generated/production" / folder
        rules = yaml.safe_load((there / "rules.yaml").read_text())
        patient = {rule["alert"]: rule.pop("for") for rule in rules["groups"][-1]["rules"] if "for" in rule}
        assert len(patient) > 5
        (tmp_path / "rules.yaml").write_text(json.dumps(rules))
        (tmp_path / "rules.test.yaml").write_text((there / "rules.test.yaml").read_text())
        command = ["promtool", "test", "rules", str(tmp_path / "rules.test.yaml")]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert set(re.findall(r"alertname: (\w+), time:", ran.stdout + ran.stderr)) == patient.keys()


def test_a_schedulers_are_quiet_and_fire_whatever_it_says(tmp_path: Path) -> None:
    """Also where a function tells the jobs, or there is no bound to how many run."""
    tests = []
    for name, spec in SPECS.items():
        it = planned_scheduler(tmp_path, spec)
        folder = tmp_path / name.replace(" ", "-")
        folder.mkdir()
        for one in ("rules.yaml", "rules.test.yaml"):
            (folder / one).write_text(file(it, one))
        tests.append(folder / "rules.test.yaml")
    ran = subprocess.run(["promtool", "test", "rules", *tests], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("poll", ["10m", "1h"])
def test_a_pipelines_are_quiet_and_fire_however_seldom_keda_looks(tmp_path: Path, poll: str) -> None:
    """Where polls are counted for longer, the tests wait for longer."""
    it = planned(tmp_path, {"scaling": {"poll": poll, "cooldown": "3h"}})
    for one in emit(it, TEMPLATES).artifacts:
        if "/rules." in one.path:
            (tmp_path / Path(one.path).name).write_text(one.content)
    command = ["promtool", "test", "rules", str(tmp_path / "rules.test.yaml")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
