"""The series and labels of a PromQL query, and those that exist."""

from collections.abc import Iterator
from typing import Any

import promql_parser

from penstock_spec.kinds import kinds
from penstock_spec.metrics import Metric, MetricKind

SCRAPED = {"namespace", "job", "instance"}
"""Labels that Prometheus adds to scraped series and that queries use."""
KEDA = {"namespace", "exported_namespace"}
"""The namespace of the scaled object is in one of these labels, depending on the scrape settings."""
SCALER = KEDA | {"scaledObject"}
HPA = {"namespace", "horizontalpodautoscaler"}
DEPLOYMENT = {"namespace", "deployment"}
WHERE = {"namespace"}
OTHERS = {
    "keda_build_info": set[str](),
    "keda_internal_scale_loop_latency_seconds": KEDA | {"type", "resource"},
    "keda_scaled_object_errors_total": SCALER,
    "keda_scaled_object_paused": SCALER,
    "keda_scaler_active": SCALER | {"metric"},
    "keda_scaler_detail_errors_total": SCALER,
    "keda_scaler_metrics_value": SCALER | {"metric"},
    "kube_deployment_status_replicas": DEPLOYMENT,
    "kube_deployment_status_replicas_ready": DEPLOYMENT,
    "kube_horizontalpodautoscaler_status_current_replicas": HPA,
    "kube_horizontalpodautoscaler_status_desired_replicas": HPA,
    "redis_aof_last_write_status": WHERE,
    "redis_connected_clients": WHERE,
    "redis_evicted_keys_total": WHERE,
    "redis_memory_max_bytes": WHERE,
    "redis_memory_used_bytes": WHERE,
    "redis_rdb_last_bgsave_status": WHERE,
    "redis_rejected_connections_total": WHERE,
    "redis_up": WHERE,
}
"""Metrics of KEDA, kube-state-metrics and redis_exporter, with the labels that queries use."""
PROCESS = {"process_cpu_seconds_total": SCRAPED, "process_resident_memory_bytes": SCRAPED}
"""Metrics of each Python process, in addition to the contract."""
PROMETHEUS = {
    "ALERTS": {"alertstate", "namespace", "pipeline", "scheduler"},
    "penstock:dashboard:info": {"namespace", "pipeline", "scheduler", "dashboard"},
}
"""Series that Prometheus itself creates from our rules."""


def series_of(metric: Metric) -> dict[str, set[str]]:
    """The names under which a metric is stored, with the labels of each."""
    labels = {label.name for label in metric.labels} | SCRAPED
    if metric.kind is not MetricKind.HISTOGRAM:
        return {metric.name: labels}
    return {f"{metric.name}_bucket": labels | {"le"}, f"{metric.name}_sum": labels, f"{metric.name}_count": labels}


METRICS = {name: metric for kind in kinds().values() for name, metric in kind.contract.metrics().items()}
"""The metrics of all kinds."""
OURS = {name: labels for metric in METRICS.values() for name, labels in series_of(metric).items()}
KNOWN = OURS | OTHERS | PROCESS | PROMETHEUS


def parsed(query: str) -> Any:  # noqa: ANN401 - any node of the parser
    """Parse a query, with values for Grafana's variables."""
    for variable, value in {"$__rate_interval": "1m", "$__range": "1h"}.items():
        query = query.replace(variable, value)
    return promql_parser.parse(query)


def inside(node: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
    """A node of a query and all nodes inside."""
    yield node
    for name in ("expr", "lhs", "rhs", "vector_selector", "param"):
        if (inner := getattr(node, name, None)) is not None and not callable(inner):
            yield from inside(inner)
    for one in getattr(node, "args", None) or ():
        yield from inside(one)


def selectors(query: str) -> list[Any]:
    """Every series that a query selects."""
    return [one for one in inside(parsed(query)) if isinstance(one, promql_parser.VectorSelector)]


def matched(selector: Any) -> dict[str, str]:  # noqa: ANN401 - as above
    """The labels that a selector matches, with their values."""
    return {one.name: one.value for one in selector.matchers.matchers}


def grouped(query: str) -> set[str]:
    """The labels by which a query groups or joins."""
    labels: set[str] = set()
    for node in inside(parsed(query)):
        modifier = getattr(node, "modifier", None)
        if isinstance(node, promql_parser.AggregateExpr) and modifier is not None:
            labels |= set(modifier.labels)
        elif isinstance(node, promql_parser.BinaryExpr) and modifier is not None and modifier.matching is not None:
            labels |= set(modifier.matching.labels)
    return labels
