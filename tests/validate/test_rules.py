"""Promtool runs the generated tests: alerts are quiet and fire as expected."""

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


def test_each_alert_is_quiet_and_fires(root: Path) -> None:
    """At its threshold and before its time; and beyond both."""
    rules = sorted((root / "generated").glob("*/*/rules.yaml"))
    assert len(rules) == 14
    tests = [file.with_name("rules.test.yaml") for file in rules]
    for verb, on in (("check", rules), ("test", tests)):
        ran = subprocess.run(["promtool", verb, "rules", *on], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("counted", "kept", "fires"),
    [
        ("0x10 1x30", "5x40", True),  # a stored one expired at the same time
        ("1x40", "0x10 1x30", True),  # a worker was started for the message
        ("_x10 1x30", "_x10 0x5 1x25", True),  # a janitor has just started
        ("1x40", "5x10 2x30", False),  # some were purged
        ("1x40", "_x10 5x30", False),  # stored ones are measured for the first time
        ("_x40", "_x40", False),
    ],
)
def test_a_dead_letter_alerts_even_if_its_worker_is_short_lived(
    root: Path,
    tmp_path: Path,
    counted: str,
    kept: str,
    fires: bool,  # noqa: FBT001 - a case
) -> None:
    """The worker's counter grows between two scrapes, or the janitor's measurement does."""
    series = {f"penstock_dead_total{OURS}": counted, f"penstock_dead_letters{OURS}": kept}
    query = {"expr": 'count(ALERTS{alertname="PenstockDeadLetters"})', "eval_time": "20m"}
    answer = [{"labels": "{}", "value": 1}] if fires else []
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [query | {"exp_samples": answer}],
    }
    rules = str(root / "generated/production/media-cluster/rules.yaml")
    (tmp_path / "test.yaml").write_text(json.dumps({"rule_files": [rules], "tests": [test]}))
    ran = subprocess.run(
        ["promtool", "test", "rules", tmp_path / "test.yaml"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_generated_tests_cover_the_duration_of_alerts(root: Path, tmp_path: Path) -> None:
    """Alerts without their `for` fail their generated tests."""
    for folder in ("jobs", "_environment"):
        folder_path = root / "generated/production" / folder
        rules = yaml.safe_load((folder_path / "rules.yaml").read_text())
        durations = {rule["alert"]: rule.pop("for") for rule in rules["groups"][-1]["rules"] if "for" in rule}
        assert len(durations) > 5
        (tmp_path / "rules.yaml").write_text(json.dumps(rules))
        (tmp_path / "rules.test.yaml").write_text((folder_path / "rules.test.yaml").read_text())
        command = ["promtool", "test", "rules", str(tmp_path / "rules.test.yaml")]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert set(re.findall(r"alertname: (\w+), time:", ran.stdout + ran.stderr)) == durations.keys()


def test_the_alerts_of_any_scheduler_are_quiet_and_fire(tmp_path: Path) -> None:
    """Even if a function lists the jobs, or concurrency is unlimited."""
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
def test_the_alerts_of_a_pipeline_are_quiet_and_fire_with_rare_polls(tmp_path: Path, poll: str) -> None:
    """With a longer window, the tests take longer."""
    it = planned(tmp_path, {"scaling": {"poll": poll, "cooldown": "3h"}})
    for one in emit(it, TEMPLATES).artifacts:
        if "/rules." in one.path:
            (tmp_path / Path(one.path).name).write_text(one.content)
    command = ["promtool", "test", "rules", str(tmp_path / "rules.test.yaml")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
