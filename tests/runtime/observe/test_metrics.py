"""A role exports exactly its contract: every name, label and value, and no other."""

from __future__ import annotations

import gzip
import math
import sys
import threading
from collections.abc import Iterator
from itertools import product
from typing import get_args

import prometheus_client as client
import pytest
from logged import logged
from prometheus_client import parser
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics

from penstock.observe.collector import Collector, process_collector
from penstock.observe.events import Event
from penstock.observe.metrics import METRICS, Metrics, NotInContractError
from penstock.observe.page import Pages
from penstock.observe.values import Counter, Histogram
from penstock_spec.kinds.pipeline import Pipeline
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance, process, sending, stream, working
from penstock_spec.metrics import Metric, MetricKind, Role

ROLES: tuple[Role, ...] = get_args(Role)
GIVEN = {"class": ("throttled", "-"), "group": ("g",)}
KNOWN_LATER = {name for name in METRICS if name.endswith("_info")}


def families(collector: Collector) -> dict[str, client.Metric]:
    """The exported metrics by name, as a scraper parses them."""
    text = client.generate_latest(collector).decode()
    parsed = list(parser.text_string_to_metric_families(text))
    assert len({one.name for one in parsed}) == len(parsed)
    return {f"{one.name}_total" if one.type == "counter" else one.name: one for one in parsed}


def label_sets(family: client.Metric) -> set[tuple[tuple[str, str], ...]]:
    return {tuple(sorted((k, v) for k, v in one.labels.items() if k != "le")) for one in family.samples}


def contract_label_sets(metric: Metric) -> set[tuple[tuple[str, str], ...]]:
    choices = [
        [(label.name, value) for value in label.words or GIVEN.get(label.name, ())] for label in metric.labels[1:]
    ]
    return {tuple(sorted(((metric.labels[0].name, "x"), *chosen))) for chosen in product(*choices)}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_exports_its_contract_and_nothing_else(role: Role) -> None:
    """Names, kinds, help, labels, label values and bucket bounds."""
    collector = Collector()
    metrics = Metrics.of(role, pipeline="x", collector=collector, given=GIVEN)
    [info] = (metric for name, metric in METRICS.items() if role in metric.roles and name in KNOWN_LATER)
    metrics.gauge(info, role, "1.2.3", "abc").set(1)

    shown = families(collector)

    contract = {name: metric for name, metric in METRICS.items() if role in metric.roles}
    assert set(shown) == set(contract)
    for name, metric in contract.items():
        assert (shown[name].type, shown[name].documentation) == (metric.kind.value, metric.help), name
        if name in KNOWN_LATER:
            [labels] = label_sets(shown[name])
            assert {key for key, _ in labels} == {label.name for label in metric.labels}
        else:
            assert label_sets(shown[name]) == contract_label_sets(metric), name
        bounds = {one.labels["le"] for one in shown[name].samples if "le" in one.labels}
        wanted = {*(str(float(bound)) for bound in metric.buckets), "+Inf"} if metric.buckets else set()
        assert bounds == wanted, name


@pytest.mark.parametrize("role", ROLES)
def test_every_metric_is_exported_from_the_start(role: Role) -> None:
    """At 0, so that the first increase is visible; values measured in Redis are unknown until measured."""
    collector = Collector()
    Metrics.of(role, pipeline="x", collector=collector, given=GIVEN)
    shown = families(collector)
    for name, metric in METRICS.items():
        if role in metric.roles and name not in KNOWN_LATER:
            values = [one.value for one in shown[name].samples]
            assert values, name
            assert all(math.isnan(value) if metric.measured else value == 0 for value in values), name


def test_values_are_exported(spec: Pipeline) -> None:
    """Counters, gauges, callback gauges, histograms; the failure classes are those of the spec."""
    collector = Collector()
    metrics = Metrics.of_spec("worker", spec, collector)
    metrics.counter(working.DONE).add()
    metrics.counter(working.DONE).add(41)
    metrics.counter(working.RETRIED, "never").add()
    metrics.gauge(working.RUNNING).add(3)
    metrics.gauge(working.RUNNING).add(-1)
    metrics.gauge(working.SLOTS).set(16)
    metrics.gauge(working.SLOTS_FREE).follow(lambda: 14)
    for seconds in (0.005, 0.0051, 7, 1e9):
        metrics.histogram(working.WAITING_SECONDS).observe(seconds)

    shown = {
        " ".join([one.name, *(value for label, value in one.labels.items() if label != "pipeline")]): one.value
        for family in families(collector).values()
        for one in family.samples
        if one.labels["pipeline"] == spec.name
    }
    assert shown["penstock_done_total"] == 42
    assert shown["penstock_retried_total never"] == 1
    assert shown["penstock_retried_total -"] == 0
    assert shown["penstock_running"] == 2
    assert shown["penstock_slots"] == 16
    assert shown["penstock_slots_free"] == 14
    buckets = {le: shown[f"penstock_waiting_seconds_bucket {le}"] for le in ("0.005", "0.01", "5.0", "10.0", "+Inf")}
    assert buckets == {"0.005": 1, "0.01": 2, "5.0": 2, "10.0": 3, "+Inf": 4}
    assert shown["penstock_waiting_seconds_count"] == 4
    assert shown["penstock_waiting_seconds_sum"] == pytest.approx(1e9 + 7.0101)


def test_a_negative_duration_counts_as_zero() -> None:
    """Clocks of two machines may differ; the sum never falls and stays a number."""
    histogram = Histogram((1.0, 2.0))
    histogram.observe(2.0)
    histogram.observe(-5.0)
    histogram.observe(math.nan)
    assert [(one.suffix, one.le, one.value) for one in histogram.samples()] == [
        ("_bucket", "1.0", 2),
        ("_bucket", "2.0", 3),
        ("_bucket", "+Inf", 3),
        ("_sum", "", 2.0),
        ("_count", "", 3),
    ]


@pytest.mark.parametrize(
    ("role", "metric", "values", "message"),
    [
        ("worker", sending.SENT, ("new",), "`penstock_sent_total` is exported by producer, not by a worker"),
        ("janitor", working.DONE, (), "`penstock_done_total` is exported by worker, not by a janitor"),
        ("producer", maintenance.TAKEN_OVER, (), "is exported by janitor and worker, not by a producer"),
        ("worker", working.DEAD, ("tired",), "`penstock_dead_total` has no reason `tired`"),
        ("worker", working.DEAD, (), "`penstock_dead_total` has `reason` besides `pipeline`; values given: 0"),
        ("worker", working.DONE, ("x",), "`penstock_done_total` has no label besides `pipeline`"),
        ("worker", working.RUNNING, (), "`penstock_running` is a gauge, not a counter"),
        (
            "worker",
            Metric("penstock_other_total", MetricKind.COUNTER, "Other.", frozenset({"worker"}), working.DONE.labels),
            (),
            "`penstock_other_total` is not in the contract",
        ),
    ],
)
def test_metrics_outside_the_contract_are_refused(
    role: Role, metric: Metric, values: tuple[str, ...], message: str
) -> None:
    """With a message that names the problem."""
    metrics = Metrics.of(role, pipeline="x", collector=Collector())
    with pytest.raises(NotInContractError) as raised:
        metrics.counter(metric, *values)
    assert message in str(raised.value)


def test_a_counter_is_not_used_as_another_kind() -> None:
    """Nor a gauge as a histogram."""
    metrics = Metrics.of("worker", pipeline="x", collector=Collector())
    with pytest.raises(NotInContractError, match="is a counter, not a gauge"):
        metrics.gauge(working.DONE)
    with pytest.raises(NotInContractError, match="is a gauge, not a histogram"):
        metrics.histogram(working.RUNNING)


def test_roles_and_pipelines_of_one_process_share_a_page() -> None:
    """Each name occurs once; two producers of a pipeline count together."""
    collector = Collector()
    worker = Metrics.of("worker", pipeline="a", collector=collector)
    one = Metrics.of("producer", pipeline="b", collector=collector)
    other = Metrics.of("producer", pipeline="b", collector=collector)
    for metrics in (worker, one, other):
        metrics.counter(process.REDIS_ERRORS, "absent").add()

    family = families(collector)["penstock_redis_errors_total"]

    absent = {one.labels["pipeline"]: one.value for one in family.samples if one.labels["kind"] == "absent"}
    assert absent == {"a": 1, "b": 2}


def test_a_former_leader_drops_its_measurements() -> None:
    """So they do not compete with those of the new leader; its counters stay."""
    collector = Collector()
    metrics = Metrics.of("janitor", pipeline="x", collector=collector, given=GIVEN)
    others = Metrics.of("janitor", pipeline="y", collector=collector)
    others.gauge(stream.NEW).set(5)
    metrics.gauge(stream.NEW).set(5)
    metrics.gauge(janitor.TRIM_HELD_BACK, "foreign-1").set(7)
    metrics.counter(janitor.TRIMMED).add(3)

    metrics.forget_measured()

    shown = families(collector)
    new = {one.labels["pipeline"]: one.value for one in shown["penstock_new"].samples}
    assert math.isnan(new["x"])
    assert new["y"] == 5
    held = [one.value for one in shown["penstock_trim_held_back"].samples]
    assert len(held) == 2
    assert all(map(math.isnan, held))
    assert {one.value for one in shown["penstock_trimmed_total"].samples if one.labels["pipeline"] == "x"} == {3}


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads switch as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switching")
def test_no_addition_is_lost_between_threads() -> None:
    """Threads may share a producer; they count together."""
    counter, histogram, each, threads = Counter(), Histogram((1.0,)), 20_000, 8

    def count() -> None:
        for _ in range(each):
            counter.add()
            histogram.observe(0.5)

    running = [threading.Thread(target=count) for _ in range(threads)]
    for one in running:
        one.start()
    for one in running:
        one.join()

    assert [one.value for one in counter.samples()] == [each * threads]
    assert {one.suffix: one.value for one in histogram.samples()} == {
        "_bucket": each * threads,
        "_sum": each * threads / 2,
        "_count": each * threads,
    }


@pytest.fixture
def collector() -> Collector:
    collector = Collector()
    Metrics.of("worker", pipeline="x", collector=collector, given=GIVEN)
    return collector


def test_the_page_has_both_formats(collector: Collector) -> None:
    """The client chooses; the parsers of `prometheus_client` read the same values from both."""
    pages = Pages(collector, client.CollectorRegistry())
    plain = pages.page("", "")
    open_ = pages.page("application/openmetrics-text; version=1.0.0", "gzip;q=0.5")

    assert plain.content_type.startswith("text/plain; version=0.0.4")
    assert open_.content_type.startswith("application/openmetrics-text")
    assert (plain.compressed, open_.compressed) == (False, True)
    read = [
        {(one.name, tuple(sorted(one.labels.items()))): one.value for family in families for one in family.samples}
        for families in (
            parser.text_string_to_metric_families(plain.body.decode()),
            read_openmetrics(gzip.decompress(open_.body).decode()),  # type: ignore[no-untyped-call] # it has no types
        )
    ]
    assert read[0] == read[1] != {}


def test_metrics_of_handlers_are_on_the_page(collector: Collector) -> None:
    """Next to those of Penstock, each once, however often it is scraped."""
    registry = client.CollectorRegistry()
    client.Counter("team_pets", "Pets.", registry=registry).inc(3)
    pages = Pages(collector, registry)
    pages.page("", "")
    text = pages.page("", "").body.decode()
    assert "team_pets_total 3.0\n" in text
    assert text.count("# TYPE penstock_done_total counter\n") == 1


def test_by_default_the_page_has_process_metrics() -> None:
    """`prometheus_client` collects them in its own registry."""
    pages = Pages(process_collector())
    text = pages.page("", "").body.decode()
    assert "process_resident_memory_bytes" in text
    assert "python_info" in text
    assert process_collector() is process_collector()


def test_a_failing_collector_of_a_team_hides_no_penstock_metric(
    collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    """Its first failure is logged without the text; later it is back."""

    class Broken:
        broken = True

        def collect(self) -> Iterator[client.Metric]:
            if self.broken:
                raise RuntimeError("secret")
            return iter([client.metrics_core.GaugeMetricFamily("team_thing", "A thing.", 1)])

    broken, registry = Broken(), client.CollectorRegistry()
    registry.register(broken)
    pages = Pages(collector, registry)

    for _ in range(2):
        text = pages.page("", "").body.decode()
        assert "penstock_done_total" in text
        assert "team_thing" not in text
    [line] = logged(caplog)
    assert (line["event"], line["error"]) == (Event.METRICS_COLLECTOR_FAILED, "RuntimeError")
    assert "secret" not in str(line)

    broken.broken = False
    assert "team_thing 1.0" in pages.page("", "").body.decode()


def test_a_collector_can_be_exported_by_several_registries(collector: Collector) -> None:
    """By each once; a second registration is no error."""
    for registry in (client.CollectorRegistry(auto_describe=True), client.CollectorRegistry()):
        collector.register_with(registry)
        collector.register_with(registry)
        assert client.generate_latest(registry).count(b"# TYPE penstock_done_total") == 1


def test_two_metrics_of_one_name_are_refused(collector: Collector) -> None:
    """On a collector each name has one meaning."""
    other = Metric(working.DONE.name, MetricKind.COUNTER, "Other.", frozenset({"worker"}), working.DONE.labels)
    with pytest.raises(ValueError, match="two metrics are named `penstock_done_total`"):
        collector.declare(other)
