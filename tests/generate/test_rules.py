"""Alerts that fire when they should, and not before, and that ask for nothing that nobody tells."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from planned import TEMPLATES, planned
from promql_queries import KEDA, OTHERS, OURS, grouped, matched, selectors

from penstock_generate.incremental.folders import plan
from penstock_generate.inputs.source import Selection, Source, read_source
from penstock_generate.kinds.pipeline import emit
from penstock_generate.kinds.pipeline.alerts import ANY_PIPELINE, Alert, PipelineSources, alerts
from penstock_generate.kinds.scheduler.alerts import ANY_SCHEDULER
from penstock_generate.kinds.scheduler.alerts import alerts as alerts_of_jobs
from penstock_generate.pods.rules import DASHBOARD
from penstock_generate.rendering.placeholders import YAML, FilledValues, PreparedText, placeholder
from penstock_generate.rendering.yaml_text import document
from penstock_spec.repository import open_repository


@pytest.fixture(scope="module")
def files(root: Path) -> list[Path]:
    found = sorted((root / "generated").glob("*/*/rules.yaml"))
    assert len(found) == 14
    return found


@pytest.fixture(scope="module")
def rules(files: list[Path]) -> list[dict[str, Any]]:
    groups = (group for file in files for group in yaml.safe_load(file.read_text())["groups"])
    return [rule for group in groups for rule in group["rules"]]


def test_each_alert_has_tests(files: list[Path], rules: list[dict[str, Any]]) -> None:
    tests = [test for file in files for test in yaml.safe_load(file.with_name("rules.test.yaml").read_text())["tests"]]
    fires = [test["name"] for test in tests if test["alert_rule_test"][-1]["exp_alerts"]]
    quiet = [test["name"] for test in tests if not test["alert_rule_test"][-1]["exp_alerts"]]
    alerts = [rule["alert"] for rule in rules if "alert" in rule]
    assert [name.split()[0] for name in fires] == [name.split()[0] for name in quiet] == alerts


def test_they_ask_for_what_is_told(rules: list[dict[str, Any]]) -> None:
    """Every name and every label is one of the contract, or of those who tell of what is around us."""
    known = OURS | OTHERS
    asked = set()
    for rule in rules:
        found = selectors(rule["expr"])
        assert found or rule["expr"] == "vector(1)", rule
        for one in found:
            asked.add(one.name)
            assert one.name in known, rule
            assert matched(one).keys() <= known[one.name], rule
            # KEDA runs somewhere else, once for all.
            assert one.name == "keda_build_info" or KEDA & matched(one).keys()
            assert grouped(rule["expr"]) <= known[one.name], rule
    assert len(asked) > 30


def test_keda_is_heard_however_it_is_scraped(rules: list[dict[str, Any]]) -> None:
    """Whoever scrapes it keeps its labels, or moves its `namespace` aside: each series is asked for under either."""
    seen = 0
    for rule in rules:
        told = [one for one in selectors(rule["expr"]) if KEDA & matched(one).keys() and one.name.startswith("keda_")]
        kept = [str(one) for one in told if "namespace" in matched(one)]
        moved = [str(one) for one in told if "exported_namespace" in matched(one)]
        assert [one.replace("{namespace=", "{exported_namespace=") for one in kept] == moved
        seen += len(told)
    assert seen


def test_they_keep_to_the_conventions(rules: list[dict[str, Any]]) -> None:
    """One prefix, a severity, a team, sentences; no value in a label; what is absent has been so for two scrapes."""
    for rule in (one for one in rules if "alert" in one):
        assert re.fullmatch(r"Penstock([A-Z][a-z]+)+", rule["alert"])
        assert rule["labels"].keys() - {"pipeline", "scheduler"} == {"severity", "team", "namespace"}
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert not any("$value" in value for value in rule["labels"].values())
        said = rule["annotations"]
        assert said.keys() == {"summary", "description", "runbook_url", "dashboard_url"}
        assert re.fullmatch(r"[A-Z][^{}]*\.", said["summary"])
        assert said["description"].endswith(".")
        assert said["runbook_url"].endswith(f"/runbook.md#{rule['alert'].lower()}")
        if "absent(" in rule["expr"]:
            assert int(rule["for"].removesuffix("m")) >= 2


def test_an_alert_links_to_the_dashboard_that_is_there(files: list[Path]) -> None:
    """By the address of Grafana in the platform file, and the uid that the dashboard has."""
    for file in files:
        whole = file.parent.name == "_environment"
        uid = json.loads(file.with_name("overview.json" if whole else "dashboard.json").read_text())["uid"]
        found = [rule for group in yaml.safe_load(file.read_text())["groups"] for rule in group["rules"]]
        links = {rule["annotations"]["dashboard_url"] for rule in found if "alert" in rule}
        assert links == {f"https://grafana.example/d/{uid}"}
        assert [rule["labels"]["dashboard"] for rule in found if rule.get("record") == DASHBOARD] == [uid] * (not whole)


def test_a_number_of_the_spec_is_the_rules_number(root: Path) -> None:
    """`alerts.backlog_age: 5m` and `scaling.replicas.max: 20` are 300 and 20 here."""
    text = (root / "generated/production/media-cluster/rules.yaml").read_text()
    [old, most] = [
        next(rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"] if rule.get("alert") == name)
        for name in ("PenstockBacklogOld", "PenstockAtMaxReplicas")
    ]
    assert old["expr"] == 'max(penstock_oldest_seconds{namespace="pipelines",pipeline="media-cluster"}) > 300'
    assert "`alerts.backlog_age` is 5m" in old["annotations"]["description"]
    assert most["expr"].endswith(">= 20")


def test_pods_that_cannot_start_are_missing(rules: list[dict[str, Any]]) -> None:
    """The HPA's own current replicas are what the Deployment asks for: by them a pod that never starts is there."""
    found = [
        rule["expr"] for rule in rules if rule.get("alert") == "PenstockReplicasBehind" and "pipeline" in rule["labels"]
    ]
    assert len(found) == 10
    for expression in found:
        assert [one.name for one in selectors(expression)] == [
            "kube_horizontalpodautoscaler_status_desired_replicas",
            "kube_deployment_status_replicas_ready",
        ]


@given(st.text(), st.text() | st.integers() | st.booleans())
def test_blanks_in_rules_are_filled_with_data(text: str, value: str | int) -> None:
    """Whatever it is: beside a quote, inside a text, or alone, where it stays what it is."""
    texts = [
        f"a {{x}} {placeholder('one two')}: %s",
        f'"{placeholder("one two")}" {placeholder("three")}',
        placeholder("one two"),
    ]
    form = PreparedText.of(document({"texts": texts, "whole": placeholder("three")}), YAML)
    found = yaml.safe_load(form.filled(FilledValues(YAML, {"one two": text, "three": value})))
    assert found == {"texts": [f"a {{x}} {text}: %s", f'"{text}" {value}', text], "whole": value}


def test_queries_that_read_alike_are_fed_alike(root: Path) -> None:
    """Rules and tests of an alert are written once for all specs that have the same."""
    source = read_source(open_repository((), None, root), Selection(), date(2026, 1, 1))
    assert isinstance(source, Source)
    seen: dict[Alert, tuple[Any, ...]] = {}
    for it in (it for file in source.inputs.specs for it in plan(source, file)):
        for one in (
            alerts(it.spec, ANY_PIPELINE) if it.spec.kind == "pipeline" else alerts_of_jobs(it.spec, ANY_SCHEDULER)
        ):
            feeds = [(one.query.test_series(value), one.query.beyond(value)) for value in (one.firing_value, 7.0)]
            told = (one.query.test_series(one.quiet_value), *feeds)
            assert seen.setdefault(one, told) == told
    assert len(seen) > 60


@pytest.mark.parametrize(
    ("scaling", "minutes", "most"),
    [
        ({"fallback": {"replicas": 2}}, 5, 3),
        ({"poll": "10m"}, 41, 3),
        ({"poll": "10m", "fallback": {"replicas": 2, "failures": 5}}, 61, 5),
        ({"poll": "10m", "replicas": {"min": 1}}, 5, 3),  # there is always a pod, so that the HPA looks
        ({"poll": "1h"}, 180, 2),
    ],
)
def test_failed_polls_are_counted_for_as_long_as_they_take(
    tmp_path: Path, scaling: dict[str, Any], minutes: int, most: int
) -> None:
    """Where KEDA looks every ten minutes, nothing fails four times within five; the panel says as many."""
    it = planned(tmp_path, {"scaling": {"cooldown": "3h", **scaling}})
    found = {alert.name: alert for alert in alerts(it.spec, ANY_PIPELINE)}
    errors, fallback = found["PenstockScalerErrors"], found["PenstockScalerFallback"]
    assert (errors.minutes, fallback.threshold) == (minutes, most)
    assert f"[{minutes}m]" in errors.query.text == fallback.query.text
    assert f"failed in {minutes} minutes" in fallback.description
    [drawn] = [one for one in emit(it, TEMPLATES).artifacts if one.path.endswith("/dashboard.json")]
    [panel] = [one for one in json.loads(drawn.content)["panels"] if one["title"] == "Failed polls"]
    assert f"[{minutes}m]" in panel["targets"][0]["expr"]


@pytest.mark.parametrize(("least", "told"), [(2, True), (3, False)])
def test_a_fixed_number_of_pods_is_no_alarm(tmp_path: Path, least: int, told: bool) -> None:  # noqa: FBT001 - a case
    """Where there can be no more than there always are, being at the most says nothing, and for ever."""
    it = planned(tmp_path, {"scaling": {"replicas": {"min": least, "max": 3}}})
    names = {alert.name for alert in alerts(it.spec, PipelineSources.of(it.around.namespace, it.name))}
    assert ("PenstockAtMaxReplicas" in names) is told
    [drawn] = [one for one in emit(it, TEMPLATES).artifacts if one.path.endswith("/dashboard.json")]
    assert '"Pods"' in drawn.content


def test_a_kustomization_names_what_is_there(root: Path) -> None:
    found = sorted((root / "generated").glob("*/*/manifests/kustomization.yaml"))
    assert len(found) == 14
    for file in found:
        named = yaml.safe_load(file.read_text())["resources"]
        assert sorted(named) == sorted(path.name for path in file.parent.glob("*") if path != file)
