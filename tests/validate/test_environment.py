"""The programs that read the files of an environment, and the images, accept them."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml
from kubeconform_check import conform

from penstock_generate.alerts import rules
from penstock_generate.environment.alerts import alerts
from penstock_generate.environment.rules import about_of, groups
from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_generate.rendering.yaml_text import document
from penstock_spec.platform import Environment

ENVIRONMENTS = ("dev", "production")
SEVERITIES = ("critical", "warning", "info")


def ran(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("deployment", ("optional: true", "optionally: true")),
        ("networkpolicy", ("egress:", "outgoing:")),
        ("role", ("verbs:", "verb:")),
        ("rolebinding", ("roleRef:", "role:")),
        ("service", ("targetPort:", "target:")),
        ("serviceaccount", ("automountServiceAccountToken", "automountToken")),
    ],
)
def test_the_schemas_refuse_mistakes(root: Path, tmp_path: Path, file: str, change: tuple[str, str]) -> None:
    """Schemas that accept anything would prove nothing."""
    text = (root / f"generated/production/_environment/manifests/{file}.yaml").read_text()
    (tmp_path / "right.yaml").write_text(text)
    assert conform(root, "1.36", tmp_path).returncode == 0
    assert change[0] in text
    (tmp_path / "right.yaml").write_text(text.replace(*change))
    assert conform(root, "1.36", tmp_path).returncode == 1


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_alertmanager_accepts_the_configuration(root: Path, environment: str) -> None:
    """Alerts of each team and severity have a receiver; critical ones the pager, if the platform file names one."""
    file = root / f"generated/{environment}/_environment/alertmanager.yaml"
    checked = ran("amtool", "check-config", file)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    routes = yaml.safe_load((root / "penstock.yaml").read_text())["environments"][environment]["routes"]
    for team in (*routes, "unknown"):
        for severity in SEVERITIES:
            route, name = (routes[team], team) if team in routes else (routes["default"], "default")
            receiver = f"{name}/critical" if severity == "critical" and "pagerduty" in route else name
            labels = [f"team={team}", f"severity={severity}", "alertname=PenstockAny"]
            result = ran("amtool", "config", "routes", "test", f"--config.file={file}", *labels)
            assert (result.returncode, result.stdout.strip()) == (0, receiver)


@pytest.mark.parametrize("topology", ["cluster", "sentinel"])
def test_alerts_on_several_servers_are_quiet_and_fire(tmp_path: Path, topology: str) -> None:
    """The environments of this repository have one server each, so their rules do not cover these alerts."""
    redis = {"addresses": ["one:6379", "two:6379"], "topology": topology}
    around = Environment.model_validate({"namespace": "tests", "redis": redis})
    it = PlannedEnvironment("trial", around, (), "penstock.yaml", "1.2.3")
    (tmp_path / "rules.yaml").write_text(document({"groups": groups(it)}))
    each = [test for alert in alerts(it) for test in rules.tests(about_of(it), alert)]
    (tmp_path / "rules.test.yaml").write_text(document(rules.suite("rules.yaml", each)))
    assert "PenstockRedisReplicationBroken" in (tmp_path / "rules.yaml").read_text()
    for verb, file in (("check", "rules.yaml"), ("test", "rules.test.yaml")):
        result = ran("promtool", verb, "rules", tmp_path / file)
        assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", ["worker", "janitor"])
def test_hadolint_reports_nothing(root: Path, name: str) -> None:
    """It does report a missing version."""
    file = root / f"generated/images/{name}.Dockerfile"
    linted = ran("hadolint", "--format", "json", file)
    assert (linted.returncode, json.loads(linted.stdout)) == (0, [])
    worse = subprocess.run(
        ["hadolint", "-"],
        input=file.read_text().replace("==${PENSTOCK}", "").replace("python:${PYTHON}", "python"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert worse.returncode == 1
    assert {"DL3006", "DL3013"} <= {word for line in worse.stdout.splitlines() for word in line.split()}
