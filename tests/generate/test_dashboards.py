"""Dashboards that Grafana shows as they are, whose lines are the alerts', and that ask only for what somebody tells."""

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
    "penstock_dropped_total": "no spec of this repository drops; test_each_way_of_being_full_has_its_panel has it",
    "penstock_send_waiting": "no spec of this repository makes senders wait; the same test has it",
}


def read(root: Path, pattern: str) -> dict[str, dict[str, Any]]:
    found = {str(path.parent): json.loads(path.read_text()) for path in sorted((root / "generated").glob(pattern))}
    assert found
    return found


@pytest.fixture(scope="module")
def dashboards(root: Path) -> dict[str, dict[str, Any]]:
    """Of all pipelines, by folder."""
    return read(root, "*/*/dashboard.json")


@pytest.fixture(scope="module")
def all_of_them(root: Path, dashboards: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The overviews too."""
    return [*dashboards.values(), *read(root, "*/_environment/overview.json").values()]


def panels(dashboard: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (panel for panel in dashboard["panels"] if panel["type"] != "row")


def queries(dashboard: dict[str, Any]) -> Iterator[str]:
    return (target["expr"] for panel in panels(dashboard) for target in panel["targets"])


def steps(panel: dict[str, Any]) -> list[float]:
    found = panel["fieldConfig"]["defaults"].get("thresholds", {"steps": []})["steps"]
    return [step["value"] for step in found[1:]]


def sorted_keys(value: Any) -> bool:  # noqa: ANN401 - whatever JSON holds
    if isinstance(value, dict):
        return list(value) == sorted(value) and all(map(sorted_keys, value.values()))
    return not isinstance(value, list) or all(map(sorted_keys, value))


def test_they_keep_to_the_conventions(all_of_them: list[dict[str, Any]]) -> None:
    """One data source, chosen; job and instance; a stable uid; a pinned schema; nothing that Grafana itself counts."""
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


def test_each_panel_says_what_it_shows(all_of_them: list[dict[str, Any]]) -> None:
    """A title, a sentence, a unit, and an id of its own; panels of one row have titles of their own."""
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


def test_panels_do_not_lie_on_each_other(all_of_them: list[dict[str, Any]]) -> None:
    for dashboard in all_of_them:
        taken: set[tuple[int, int]] = set()
        for panel in dashboard["panels"]:
            at = panel["gridPos"]
            x, y = at.get("x", 0), at.get("y", 0)
            cells = {(column, line) for column in range(x, x + at["w"]) for line in range(y, y + at["h"])}
            assert x + at["w"] <= 24
            assert taken.isdisjoint(cells), panel["title"]
            taken |= cells


def test_they_ask_for_what_is_told(all_of_them: list[dict[str, Any]]) -> None:
    """Every name and label is of the contract, or of the few that KEDA, kube-state-metrics and Prometheus have."""
    for dashboard in all_of_them:
        for query in queries(dashboard):
            made = set(re.findall(r'label_replace\(.*?, "(\w+)"', query))
            for one in selectors(query):
                assert one.name in KNOWN, query
                assert matched(one).keys() <= KNOWN[one.name], query
                assert grouped(query) <= KNOWN[one.name] | made, query


def test_whoever_looks_can_narrow_what_our_processes_tell(all_of_them: list[dict[str, Any]]) -> None:
    """And nothing else, for KEDA knows nothing of our jobs."""
    for dashboard in all_of_them:
        for query in queries(dashboard):
            for one in selectors(query):
                asked = matched(one)
                chosen = {name: asked.get(name) for name in ("job", "instance")}
                ours = one.name in OURS or one.name in PROCESS
                assert chosen == ({"job": "$job", "instance": "$instance"} if ours else dict.fromkeys(chosen)), query
                assert KEDA & asked.keys(), query


def test_counters_are_only_asked_how_they_grow(dashboards: dict[str, dict[str, Any]], root: Path) -> None:
    """Rates over Grafana's interval; growth over the minutes of the alert whose line the panel has."""
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


def test_an_alert_has_its_panel_and_its_line(dashboards: dict[str, dict[str, Any]], root: Path) -> None:
    """The same question, and the same number."""
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
    """On some pipeline's dashboard; the rest has a reason."""
    asked = {one.name for dashboard in dashboards.values() for query in queries(dashboard) for one in selectors(query)}
    shown = {name for name in METRICS if any(one == name or one.startswith(f"{name}_") for one in asked)}
    assert METRICS.keys() - shown == NOT_SHOWN.keys()


@pytest.fixture(scope="module")
def specs(root: Path) -> list[Pipeline]:
    found = [
        it.spec for env in ("dev", "production") for it in resolve([], None, env, root, date(2026, 1, 1)).pipelines
    ]
    assert len(found) == 10
    return found


def found_in(spec: Pipeline) -> list[Alert]:
    return alerts(spec, PipelineSources.of("x", spec.name))


@pytest.mark.parametrize(
    ("when_full", "title"),
    [("reject", "Rejected sends"), ("wait", "Waiting sends"), ("drop-oldest", "Dropped messages")],
)
def test_each_way_of_being_full_has_its_panel(specs: list[Pipeline], when_full: str, title: str) -> None:
    """And not that of another, which would never have anything to show."""
    data = specs[0].model_dump(mode="json", by_alias=True)
    data["stream"]["backlog"] |= {"when_full": when_full, "lossy": True}
    spec = Pipeline.model_validate(data)
    variant = PipelineVariant.of(spec, found_in(spec), has_runbooks=True)
    found = json.loads(_template(variant).pretty.filled(FilledValues(JSON, _AnyValue())))
    ways = {"Rejected sends", "Waiting sends", "Dropped messages"}
    assert ways & set(titles(found)) == {title}


class _AnyValue(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return f"<{name}>"


def test_what_is_shared_has_nothing_of_the_one_it_was_built_from(specs: list[Pipeline]) -> None:
    """Two pipelines of one shape give the same, whichever comes first."""
    seen: dict[PipelineVariant, list[str]] = {}
    for spec in specs:
        _template.cache_clear()
        variant = PipelineVariant.of(spec, found_in(spec), has_runbooks=True)
        draft = _template(variant)
        built = [form.filled(FilledValues(JSON, _AnyValue())) for form in (draft.pretty, draft.compact)]
        assert seen.setdefault(variant, built) == built
    assert 1 < len(seen) < len(specs)


@given(st.dictionaries(st.text(max_size=3), st.text() | st.integers()), st.text())
def test_blanks_are_filled_with_data(values: dict[str, Any], text: str) -> None:
    """Whatever it is, and once: what a value looks like is never looked at again."""
    names = [name for name in values if name and OPEN not in name and CLOSE not in name]
    before = text.replace(OPEN, "").replace(CLOSE, "")
    data = {
        "text": [before, *(f"{before}{placeholder(name)}%s" for name in names)],
        "whole": [placeholder(name) for name in names],
    }
    for write in (pretty, compact):
        filled = json.loads(PreparedText.of(write(data), JSON).filled(FilledValues(JSON, values)))
        assert filled["whole"] == [values[name] for name in names]
        assert filled["text"] == [before, *(f"{before}{values[name]}%s" for name in names)]


@given(st.from_regex(r"[a-z0-9-]{1,54}", fullmatch=True), st.from_regex(r"[a-z0-9-]{1,54}", fullmatch=True))
def test_a_uid_is_one_that_grafana_takes(environment: str, name: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]+", uid(environment, name))
    assert len(uid(environment, name)) <= LONGEST


def test_uids_are_different(all_of_them: list[dict[str, Any]]) -> None:
    """Also of names that make one text together; and they stay what they are, as links elsewhere have them."""
    assert len({one["uid"] for one in all_of_them}) == len(all_of_them)
    assert uid("a-b", "c") != uid("a", "b-c")
    assert uid("a", "b" * 54) != uid("a", "b" * 53)
    assert uid("production", "media-cluster") == "production-media-cluster-0481772d"


def test_grafana_gets_the_same(root: Path, all_of_them: list[dict[str, Any]]) -> None:
    """The ConfigMap has the dashboard, small enough for `kubectl apply`, with what Grafana's sidecar looks for."""
    files = [*(root / "generated").glob("*/*/manifests/dashboard.yaml")]
    files += (root / "generated").glob("*/_environment/manifests/overview.yaml")
    told = []
    for file in files:
        manifest = yaml.safe_load(file.read_text())
        assert manifest["metadata"]["labels"]["grafana_dashboard"] == "1"
        folder = "Pipelines" if "production" in file.parts else "Pipelines (dev)"
        assert manifest["metadata"]["annotations"] == {"grafana_folder": folder}
        [(name, text)] = manifest["data"].items()
        assert name.endswith(".json")
        assert len(text) < 150_000
        told.append(json.loads(text))
    key = lambda one: one["uid"]  # noqa: E731 - a name for what two lines sort by
    assert sorted(told, key=key) == sorted(all_of_them, key=key)


def test_a_patch_of_the_config_map_is_of_the_workers(root: Path) -> None:
    """The dashboard's is another object of that kind, under a name of its own."""
    for file in (root / "generated").glob("*/*/manifests/dashboard.yaml"):
        names = [
            yaml.safe_load(path.read_text())["metadata"]["name"] for path in (file, file.with_name("configmap.yaml"))
        ]
        assert names == [f"{file.parts[-3]}-dashboard", file.parts[-3]]


def test_the_overview_finds_each_dashboard(root: Path) -> None:
    """By the recorded series that has its uid."""
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
                    whose = METRICS.get(re.sub("_(bucket|sum|count)$", "", one.name), METRICS.get(one.name))
                    assert whose is not None
                    label = whose.labels[0].name
                    assert matched(one)[label] == f"${label}", query
