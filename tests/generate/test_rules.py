"""Alerts have tests, query only exported metrics, and use the numbers of their specs."""

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
    rules_files = sorted((root / "generated").glob("*/*/rules.yaml"))
    assert len(rules_files) == 14
    return rules_files


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


def test_alerts_query_exported_metrics_and_labels(rules: list[dict[str, Any]]) -> None:
    """Every name and label is in the contract, or one of another program's."""
    known = OURS | OTHERS
    names = set()
    for rule in rules:
        series = selectors(rule["expr"])
        assert series or rule["expr"] == "vector(1)", rule
        for one in series:
            names.add(one.name)
            assert one.name in known, rule
            assert matched(one).keys() <= known[one.name], rule
            # KEDA runs once for the cluster, in its own namespace.
            assert one.name == "keda_build_info" or KEDA & matched(one).keys()
            assert grouped(rule["expr"]) <= known[one.name], rule
    assert len(names) > 30


def test_queries_find_keda_under_both_namespace_labels(rules: list[dict[str, Any]]) -> None:
    """A scrape config keeps KEDA's `namespace`, or renames it to `exported_namespace`: queries cover both."""
    seen = 0
    for rule in rules:
        series = [one for one in selectors(rule["expr"]) if KEDA & matched(one).keys() and one.name.startswith("keda_")]
        kept = [str(one) for one in series if "namespace" in matched(one)]
        renamed = [str(one) for one in series if "exported_namespace" in matched(one)]
        assert [one.replace("{namespace=", "{exported_namespace=") for one in kept] == renamed
        seen += len(series)
    assert seen


def test_alerts_follow_the_conventions(rules: list[dict[str, Any]]) -> None:
    """One prefix, a severity, a team, sentences; no value in a label; absent series are absent for two scrapes."""
    for rule in (one for one in rules if "alert" in one):
        assert re.fullmatch(r"Penstock([A-Z][a-z]+)+", rule["alert"])
        assert rule["labels"].keys() - {"pipeline", "scheduler"} == {"severity", "team", "namespace"}
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert not any("$value" in value for value in rule["labels"].values())
        annotations = rule["annotations"]
        assert annotations.keys() == {"summary", "description", "runbook_url", "dashboard_url"}
        assert re.fullmatch(r"[A-Z][^{}]*\.", annotations["summary"])
        assert annotations["description"].endswith(".")
        assert annotations["runbook_url"].endswith(f"/runbook.md#{rule['alert'].lower()}")
        if "absent(" in rule["expr"]:
            assert int(rule["for"].removesuffix("m")) >= 2


def test_an_alert_links_to_its_dashboard(files: list[Path]) -> None:
    """By the address of Grafana in the platform file, and the uid of the dashboard."""
    for file in files:
        is_overview = file.parent.name == "_environment"
        uid = json.loads(file.with_name("overview.json" if is_overview else "dashboard.json").read_text())["uid"]
        rules = [rule for group in yaml.safe_load(file.read_text())["groups"] for rule in group["rules"]]
        links = {rule["annotations"]["dashboard_url"] for rule in rules if "alert" in rule}
        assert links == {f"https://grafana.example/d/{uid}"}
        recorded = [rule["labels"]["dashboard"] for rule in rules if rule.get("record") == DASHBOARD]
        assert recorded == [uid] * (not is_overview)


def test_thresholds_are_the_numbers_of_the_spec(root: Path) -> None:
    """`alerts.backlog_age: 5m` and `scaling.replicas.max: 20` are 300 and 20 here."""
    text = (root / "generated/production/media-cluster/rules.yaml").read_text()
    [old, most] = [
        next(rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"] if rule.get("alert") == name)
        for name in ("PenstockBacklogOld", "PenstockAtMaxReplicas")
    ]
    assert old["expr"] == 'max(penstock_oldest_seconds{namespace="pipelines",pipeline="media-cluster"}) > 300'
    assert "`alerts.backlog_age` is 5m" in old["annotations"]["description"]
    assert most["expr"].endswith(">= 20")


def test_pods_that_cannot_start_count_as_missing(rules: list[dict[str, Any]]) -> None:
    """The HPA's current replicas include pods that never start, so the alert does not use them."""
    expressions = [
        rule["expr"] for rule in rules if rule.get("alert") == "PenstockReplicasBehind" and "pipeline" in rule["labels"]
    ]
    assert len(expressions) == 10
    for expression in expressions:
        assert [one.name for one in selectors(expression)] == [
            "kube_horizontalpodautoscaler_status_desired_replicas",
            "kube_deployment_status_replicas_ready",
        ]


@given(st.text(), st.text() | st.integers() | st.booleans())
def test_placeholders_in_rules_are_replaced_by_data(text: str, value: str | int) -> None:
    """Any data: next to a quote, inside a text, or alone, where it keeps its type."""
    texts = [
        f"a {{x}} {placeholder('one two')}: %s",
        f'"{placeholder("one two")}" {placeholder("three")}',
        placeholder("one two"),
    ]
    form = PreparedText.of(document({"texts": texts, "alone": placeholder("three")}), YAML)
    filled = yaml.safe_load(form.filled(FilledValues(YAML, {"one two": text, "three": value})))
    assert filled == {"texts": [f"a {{x}} {text}: %s", f'"{text}" {value}', text], "alone": value}


def test_equal_queries_have_equal_test_series(root: Path) -> None:
    """Equal alerts of all specs share their rules and tests."""
    source = read_source(open_repository((), None, root), Selection(), date(2026, 1, 1))
    assert isinstance(source, Source)
    seen: dict[Alert, tuple[Any, ...]] = {}
    for it in (it for file in source.inputs.specs for it in plan(source, file)):
        for one in (
            alerts(it.spec, ANY_PIPELINE) if it.spec.kind == "pipeline" else alerts_of_jobs(it.spec, ANY_SCHEDULER)
        ):
            feeds = [(one.query.test_series(value), one.query.beyond(value)) for value in (one.firing_value, 7.0)]
            series = (one.query.test_series(one.quiet_value), *feeds)
            assert seen.setdefault(one, series) == series
    assert len(seen) > 60


@pytest.mark.parametrize(
    ("scaling", "minutes", "threshold"),
    [
        ({"fallback": {"replicas": 2}}, 5, 3),
        ({"poll": "10m"}, 41, 3),
        ({"poll": "10m", "fallback": {"replicas": 2, "failures": 5}}, 61, 5),
        ({"poll": "10m", "replicas": {"min": 1}}, 5, 3),  # there is always a pod, so the HPA polls
        ({"poll": "1h"}, 180, 2),
    ],
)
def test_failed_polls_are_counted_over_enough_polls(
    tmp_path: Path, scaling: dict[str, Any], minutes: int, threshold: int
) -> None:
    """If KEDA polls every ten minutes, no poll fails four times within five. The panel has the same window."""
    it = planned(tmp_path, {"scaling": {"cooldown": "3h", **scaling}})
    by_name = {alert.name: alert for alert in alerts(it.spec, ANY_PIPELINE)}
    errors, fallback = by_name["PenstockScalerErrors"], by_name["PenstockScalerFallback"]
    assert (errors.minutes, fallback.threshold) == (minutes, threshold)
    assert f"[{minutes}m]" in errors.query.text == fallback.query.text
    assert f"failed in {minutes} minutes" in fallback.description
    [drawn] = [one for one in emit(it, TEMPLATES).artifacts if one.path.endswith("/dashboard.json")]
    [panel] = [one for one in json.loads(drawn.content)["panels"] if one["title"] == "Failed polls"]
    assert f"[{minutes}m]" in panel["targets"][0]["expr"]


@pytest.mark.parametrize(("min_pods", "alerts_at_max"), [(2, True), (3, False)])
def test_a_fixed_number_of_pods_does_not_alert(tmp_path: Path, min_pods: int, alerts_at_max: bool) -> None:  # noqa: FBT001 - a case
    """Such a pipeline is always at its maximum."""
    it = planned(tmp_path, {"scaling": {"replicas": {"min": min_pods, "max": 3}}})
    names = {alert.name for alert in alerts(it.spec, PipelineSources.of(it.around.namespace, it.name))}
    assert ("PenstockAtMaxReplicas" in names) is alerts_at_max
    [drawn] = [one for one in emit(it, TEMPLATES).artifacts if one.path.endswith("/dashboard.json")]
    assert '"Pods"' in drawn.content


def test_a_kustomization_lists_all_manifests(root: Path) -> None:
    files = sorted((root / "generated").glob("*/*/manifests/kustomization.yaml"))
    assert len(files) == 14
    for file in files:
        named = yaml.safe_load(file.read_text())["resources"]
        assert sorted(named) == sorted(path.name for path in file.parent.glob("*") if path != file)
