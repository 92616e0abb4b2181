"""Dashboards follow Grafana's conventions, draw the thresholds of alerts, and query only exported metrics."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from promql_queries import KEDA, KNOWN, METRICS, OURS, PROCESS, grouped, inside, matched, parsed, selectors

from penstock.resolved import resolve
from penstock_generate.dashboards.json_text import compact, pretty
from penstock_generate.dashboards.uid import LONGEST, uid
from penstock_generate.kinds.pipeline.alerts import Alert, PipelineSources, alerts
from penstock_generate.kinds.pipeline.dashboard import _template
from penstock_generate.kinds.pipeline.dashboard.variant import PipelineVariant
from penstock_generate.rendering.placeholders import CLOSE, JSON, OPEN, FilledValues, PreparedText, placeholder
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.metrics import MetricKind

COUNTERS = {metric.name for metric in METRICS.values() if metric.kind is MetricKind.COUNTER} | {
    name for name in KNOWN if name.endswith(("_total", "_bucket", "_sum", "_count"))
}
GROWTH = {"rate", "increase"}
NOT_SHOWN = {
    "penstock_dropped_total": "no spec of this repository drops; test_each_when_full_has_its_panel covers it",
    "penstock_send_waiting": "no spec of this repository makes senders wait; the same test covers it",
}


def read(root: Path, pattern: str) -> dict[str, dict[str, Any]]:
    contents = {str(path.parent): json.loads(path.read_text()) for path in sorted((root / "generated").glob(pattern))}
    assert contents
    return contents


@pytest.fixture(scope="module")
def dashboards(root: Path) -> dict[str, dict[str, Any]]:
    """The dashboards of all specs, by folder."""
    return read(root, "*/*/dashboard.json")


@pytest.fixture(scope="module")
def all_of_them(root: Path, dashboards: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """All dashboards, with the overviews."""
    return [*dashboards.values(), *read(root, "*/_environment/overview.json").values()]


def panels(dashboard: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (panel for panel in dashboard["panels"] if panel["type"] != "row")


def queries(dashboard: dict[str, Any]) -> Iterator[str]:
    return (target["expr"] for panel in panels(dashboard) for target in panel["targets"])


def steps(panel: dict[str, Any]) -> list[float]:
    thresholds = panel["fieldConfig"]["defaults"].get("thresholds", {"steps": []})["steps"]
    return [step["value"] for step in thresholds[1:]]


def sorted_keys(value: Any) -> bool:  # noqa: ANN401 - whatever JSON holds
    if isinstance(value, dict):
        return list(value) == sorted(value) and all(map(sorted_keys, value.values()))
    return not isinstance(value, list) or all(map(sorted_keys, value))


def test_dashboards_follow_the_conventions(all_of_them: list[dict[str, Any]]) -> None:
    """One data source to choose; job and instance; a stable uid; a pinned schema; no numbers that Grafana sets."""
    for dashboard in all_of_them:
        variables = {one["name"]: one for one in dashboard["templating"]["list"]}
        assert [one["name"] for one in variables.values() if one["type"] == "datasource"] == ["datasource"]
        assert variables["datasource"]["query"] == "prometheus"
        for name in ("job", "instance"):
            one = variables[name]
            assert (one["multi"], one["includeAll"], one["allValue"]) == (True, True, ".+")
            assert one["datasource"]["uid"] == "${datasource}"
        assert dashboard["schemaVersion"] == 36
        assert dashboard.keys().isdisjoint({"id", "version", "iteration"})
        assert "penstock" in dashboard["tags"]
        assert sorted_keys(dashboard)
        assert OPEN not in json.dumps(dashboard, ensure_ascii=False)


def test_each_panel_is_described(all_of_them: list[dict[str, Any]]) -> None:
    """It has a title, a sentence, a unit, and a unique id; titles are unique too."""
    for dashboard in all_of_them:
        for panel in panels(dashboard):
            assert panel["title"]
            assert re.fullmatch(r"[A-Z0-9].*\.", panel["description"]), panel["title"]
            assert panel["fieldConfig"]["defaults"]["unit"]
            assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
            assert panel["targets"]
            assert steps(panel) == sorted(steps(panel)), panel["title"]
        ids = Counter(panel["id"] for panel in dashboard["panels"])
        assert max(ids.values()) == 1
        assert max(Counter(panel["title"] for panel in panels(dashboard)).values()) == 1


def titles(dashboard: dict[str, Any]) -> list[str]:
    return [panel["title"] for panel in dashboard["panels"]]


def test_panels_do_not_overlap(all_of_them: list[dict[str, Any]]) -> None:
    for dashboard in all_of_them:
        occupied: set[tuple[int, int]] = set()
        for panel in dashboard["panels"]:
            at = panel["gridPos"]
            x, y = at.get("x", 0), at.get("y", 0)
            cells = {(column, line) for column in range(x, x + at["w"]) for line in range(y, y + at["h"])}
            assert x + at["w"] <= 24
            assert occupied.isdisjoint(cells), panel["title"]
            occupied |= cells


def test_queries_use_exported_metrics_and_labels(all_of_them: list[dict[str, Any]]) -> None:
    """Every name and label is in the contract, or one of KEDA, kube-state-metrics or Prometheus."""
    for dashboard in all_of_them:
        for query in queries(dashboard):
            made = set(re.findall(r'label_replace\(.*?, "(\w+)"', query))
            for one in selectors(query):
                assert one.name in KNOWN, query
                assert matched(one).keys() <= KNOWN[one.name], query
                assert grouped(query) <= KNOWN[one.name] | made, query


def test_job_and_instance_filter_only_metrics_of_penstock(all_of_them: list[dict[str, Any]]) -> None:
    """KEDA's metrics do not have these values."""
    for dashboard in all_of_them:
        for query in queries(dashboard):
            for one in selectors(query):
                labels = matched(one)
                chosen = {name: labels.get(name) for name in ("job", "instance")}
                ours = one.name in OURS or one.name in PROCESS
                assert chosen == ({"job": "$job", "instance": "$instance"} if ours else dict.fromkeys(chosen)), query
                assert KEDA & labels.keys(), query


def test_counters_are_queried_only_by_rate_or_increase(dashboards: dict[str, dict[str, Any]], root: Path) -> None:
    """Rates over Grafana's interval; increases over the minutes of the alert whose threshold the panel draws."""
    for folder, dashboard in dashboards.items():
        rules = yaml.safe_load((root / folder / "rules.yaml").read_text())["groups"][1]["rules"]
        alerts = [rule["expr"] for rule in rules]
        for query in [*queries(dashboard), *(one["expr"] for one in dashboard["annotations"]["list"])]:
            nodes = list(inside(parsed(query)))
            growing = [one for one in nodes if isinstance(one, promql_parser.Call) and one.func.name in GROWTH]
            inside_growth = {str(one) for call in growing for one in inside(call)}
            for one in nodes:
                if isinstance(one, promql_parser.VectorSelector) and one.name in COUNTERS:
                    assert str(one) in inside_growth, query
            assert set(re.findall(r"\brate\([^\[]*\[([^\]]*)\]", query)) <= {"$__rate_interval"}, query
            if "increase(" in query:
                plain = query.replace(',job=~"$job",instance=~"$instance"', "")
                assert any(alert.startswith(plain) for alert in alerts), query


def test_each_alert_has_a_panel_with_its_threshold(dashboards: dict[str, dict[str, Any]], root: Path) -> None:
    """With the same query and the same number."""
    for folder, dashboard in dashboards.items():
        shown = {
            narrowed.replace(',job=~"$job",instance=~"$instance"', ""): panel
            for panel in reversed(list(panels(dashboard)))
            for narrowed in (target["expr"] for target in panel["targets"])
            if panel["type"] == "timeseries"
        }
        for rule in yaml.safe_load((root / folder / "rules.yaml").read_text())["groups"][1]["rules"]:
            query, _, threshold = re.fullmatch(r"(.*) (>|>=|<) (\S+)", rule["expr"]).groups()  # type: ignore[union-attr] # every alert is a comparison
            query = re.sub(r"(\brate\([^\[]*\[)15m\]", r"\1$__rate_interval]", query)
            assert query in shown, (rule["alert"], query)
            assert float(threshold) in steps(shown[query]), rule["alert"]


def test_every_metric_is_shown(dashboards: dict[str, dict[str, Any]]) -> None:
    """On the dashboard of some spec; the exceptions have a reason."""
    series = {one.name for dashboard in dashboards.values() for query in queries(dashboard) for one in selectors(query)}
    shown = {name for name in METRICS if any(one == name or one.startswith(f"{name}_") for one in series)}
    assert METRICS.keys() - shown == NOT_SHOWN.keys()


@pytest.fixture(scope="module")
def specs(root: Path) -> list[Pipeline]:
    pipelines = [
        it.spec for env in ("dev", "production") for it in resolve([], None, env, root, date(2026, 1, 1)).pipelines
    ]
    assert len(pipelines) == 10
    return pipelines


def alerts_of(spec: Pipeline) -> list[Alert]:
    return alerts(spec, PipelineSources.of("x", spec.name))


@pytest.mark.parametrize(
    ("when_full", "title"),
    [("reject", "Rejected sends"), ("wait", "Waiting sends"), ("drop-oldest", "Dropped messages")],
)
def test_each_when_full_has_its_panel(specs: list[Pipeline], when_full: str, title: str) -> None:
    """And not that of another, which would always be empty."""
    data = specs[0].model_dump(mode="json", by_alias=True)
    data["stream"]["backlog"] |= {"when_full": when_full, "lossy": True}
    spec = Pipeline.model_validate(data)
    variant = PipelineVariant.of(spec, alerts_of(spec), has_runbooks=True)
    dashboard = json.loads(_template(variant).pretty.filled(FilledValues(JSON, _AnyValue())))
    when_full_titles = {"Rejected sends", "Waiting sends", "Dropped messages"}
    assert when_full_titles & set(titles(dashboard)) == {title}


class _AnyValue(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return f"<{name}>"


def test_a_shared_template_contains_no_value_of_its_example(specs: list[Pipeline]) -> None:
    """All pipelines of one variant give the same template."""
    seen: dict[PipelineVariant, list[str]] = {}
    for spec in specs:
        _template.cache_clear()
        variant = PipelineVariant.of(spec, alerts_of(spec), has_runbooks=True)
        template = _template(variant)
        built = [form.filled(FilledValues(JSON, _AnyValue())) for form in (template.pretty, template.compact)]
        assert seen.setdefault(variant, built) == built
    assert 1 < len(seen) < len(specs)


@given(st.dictionaries(st.text(max_size=3), st.text() | st.integers()), st.text())
def test_placeholders_are_replaced_by_data(values: dict[str, Any], text: str) -> None:
    """Any data, and only once: placeholders inside values are not replaced."""
    names = [name for name in values if name and OPEN not in name and CLOSE not in name]
    before = text.replace(OPEN, "").replace(CLOSE, "")
    data = {
        "text": [before, *(f"{before}{placeholder(name)}%s" for name in names)],
        "alone": [placeholder(name) for name in names],
    }
    for write in (pretty, compact):
        filled = json.loads(PreparedText.of(write(data), JSON).filled(FilledValues(JSON, values)))
        assert filled["alone"] == [values[name] for name in names]
        assert filled["text"] == [before, *(f"{before}{values[name]}%s" for name in names)]


@given(st.from_regex(r"[a-z0-9-]{1,54}", fullmatch=True), st.from_regex(r"[a-z0-9-]{1,54}", fullmatch=True))
def test_a_uid_is_valid_in_grafana(environment: str, name: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]+", uid(environment, name))
    assert len(uid(environment, name)) <= LONGEST


def test_uids_are_unique_and_stable(all_of_them: list[dict[str, Any]]) -> None:
    """Also if two pairs of names give the same text. Links elsewhere contain them, so they never change."""
    assert len({one["uid"] for one in all_of_them}) == len(all_of_them)
    assert uid("a-b", "c") != uid("a", "b-c")
    assert uid("a", "b" * 54) != uid("a", "b" * 53)
    assert uid("production", "media-cluster") == "production-media-cluster-0481772d"


def test_the_config_map_has_the_dashboard(root: Path, all_of_them: list[dict[str, Any]]) -> None:
    """Small enough for `kubectl apply`, with the labels that Grafana's sidecar looks for."""
    files = [*(root / "generated").glob("*/*/manifests/dashboard.yaml")]
    files += (root / "generated").glob("*/_environment/manifests/overview.yaml")
    from_manifests = []
    for file in files:
        manifest = yaml.safe_load(file.read_text())
        assert manifest["metadata"]["labels"]["grafana_dashboard"] == "1"
        folder = "Pipelines" if "production" in file.parts else "Pipelines (dev)"
        assert manifest["metadata"]["annotations"] == {"grafana_folder": folder}
        [(name, text)] = manifest["data"].items()
        assert name.endswith(".json")
        assert len(text) < 150_000
        from_manifests.append(json.loads(text))
    key = lambda one: one["uid"]  # noqa: E731 - two lines use it
    assert sorted(from_manifests, key=key) == sorted(all_of_them, key=key)


def test_the_dashboards_config_map_has_its_own_name(root: Path) -> None:
    """Patches of the ConfigMap apply only to the one with the worker file."""
    for file in (root / "generated").glob("*/*/manifests/dashboard.yaml"):
        names = [
            yaml.safe_load(path.read_text())["metadata"]["name"] for path in (file, file.with_name("configmap.yaml"))
        ]
        assert names == [f"{file.parts[-3]}-dashboard", file.parts[-3]]


def test_the_overview_links_to_each_dashboard(root: Path) -> None:
    """By the recorded series with its uid."""
    for overview in read(root, "*/_environment/overview.json").values():
        tables = [panel for panel in panels(overview) if panel["type"] == "table"]
        assert [table["title"] for table in tables] == ["Pipelines", "Schedulers"]
        for table in tables:
            links = [one for override in table["fieldConfig"]["overrides"] for one in override["properties"]]
            [link] = [one["value"][0]["url"] for one in links if one["id"] == "links"]
            assert link == "/d/${__data.fields.dashboard}"
            assert any("penstock:dashboard:info" in target["expr"] for target in table["targets"])
        assert {"pipeline", "scheduler", "job", "instance"} < {one["name"] for one in overview["templating"]["list"]}
        for query in queries(overview):
            for one in selectors(query):
                if one.name in OURS:
                    metric = METRICS.get(re.sub("_(bucket|sum|count)$", "", one.name), METRICS.get(one.name))
                    assert metric is not None
                    label = metric.labels[0].name
                    assert matched(one)[label] == f"${label}", query
