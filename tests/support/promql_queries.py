"""What a query asks for: series and labels, against what somebody tells."""

from collections.abc import Iterator
from typing import Any

import promql_parser

from penstock_spec.kinds import kinds
from penstock_spec.metrics import Metric, MetricKind

SCRAPED = {"namespace", "job", "instance"}
"""What Prometheus adds to what it scrapes, and queries use."""
KEDA = {"namespace", "exported_namespace"}
"""Where what it tells of is: the one or the other, by how it is scraped."""
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
"""What KEDA, kube-state-metrics and redis_exporter tell, with the labels that are asked for."""
PROCESS = {"process_cpu_seconds_total": SCRAPED, "process_resident_memory_bytes": SCRAPED}
"""What Python tells of each of our processes, beside the contract."""
PROMETHEUS = {
    "ALERTS": {"alertstate", "namespace", "pipeline", "scheduler"},
    "penstock:dashboard:info": {"namespace", "pipeline", "scheduler", "dashboard"},
}
"""What Prometheus itself knows, from our rules."""


def series_of(metric: Metric) -> dict[str, set[str]]:
    """The names under which a metric is stored, with the labels of each."""
    labels = {label.name for label in metric.labels} | SCRAPED
    if metric.kind is not MetricKind.HISTOGRAM:
        return {metric.name: labels}
    return {f"{metric.name}_bucket": labels | {"le"}, f"{metric.name}_sum": labels, f"{metric.name}_count": labels}


METRICS = {name: metric for kind in kinds().values() for name, metric in kind.contract.metrics().items()}
"""Of all kinds."""
OURS = {name: labels for metric in METRICS.values() for name, labels in series_of(metric).items()}
KNOWN = OURS | OTHERS | PROCESS | PROMETHEUS


def parsed(query: str) -> Any:  # noqa: ANN401 - whatever the parser makes
    """A query; what stands for Grafana's variables is put in their place."""
    for variable, value in {"$__rate_interval": "1m", "$__range": "1h"}.items():
        query = query.replace(variable, value)
    return promql_parser.parse(query)


def inside(node: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
    """A piece of a query and all pieces inside."""
    yield node
    for name in ("expr", "lhs", "rhs", "vector_selector", "param"):
        if (inner := getattr(node, name, None)) is not None and not callable(inner):
            yield from inside(inner)
    for one in getattr(node, "args", None) or ():
        yield from inside(one)


def selectors(query: str) -> list[Any]:
    """Every series that it asks for."""
    return [one for one in inside(parsed(query)) if isinstance(one, promql_parser.VectorSelector)]


def matched(selector: Any) -> dict[str, str]:  # noqa: ANN401 - as above
    """The labels that it matches, with what."""
    return {one.name: one.value for one in selector.matchers.matchers}


def grouped(query: str) -> set[str]:
    """The labels that it groups or joins by."""
    found: set[str] = set()
    for node in inside(parsed(query)):
        modifier = getattr(node, "modifier", None)
        if isinstance(node, promql_parser.AggregateExpr) and modifier is not None:
            found |= set(modifier.labels)
        elif isinstance(node, promql_parser.BinaryExpr) and modifier is not None and modifier.matching is not None:
            found |= set(modifier.matching.labels)
    return found
