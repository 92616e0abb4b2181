"""The reference page of metrics: each with its meaning, its labels and the roles that export it."""

from __future__ import annotations

from collections.abc import Mapping

from penstock_spec.metrics import Contract, Label, Metric
from penstock_spec.reference.table import table

OPENING = """\
# Metrics

Each pod serves these metrics at `/metrics`, in Prometheus's text format or in OpenMetrics, beside Python's own metrics
of the process and those that a handler registers with `prometheus_client` (handlers in child processes cannot). A
program that sends messages exports the metrics of its producers with `penstock.metrics()`.

Times are in seconds. Every metric has a label with the name of the spec, which is named after its kind; `-` in the last
column means that it has no other label. Values start at 0, so that an alert sees the first increase; a value that is
measured in Redis is NaN until the first measurement. No label has a consumer, a job, a message or the text of an error
as its value.
"""
HEAD = ("metric", "type", "description", "roles", "labels")
BUCKETS = "## Buckets\n\nUpper bounds, in seconds.\n"


def page(contracts: Mapping[str, Contract]) -> str:
    """The page: by kind, a table for each topic, without the label that all metrics of a kind share."""
    parts, histograms = [OPENING], []
    for kind, contract in contracts.items():
        parts += [f"## A {kind}\n", f"{contract.description}\n"]
        for topic in contract.topics:
            rows = [_row(metric, contract.shared) for metric in topic.metrics]
            parts += [f"### {topic.title}\n", f"{topic.description}\n", table(HEAD, rows)]
            histograms += [metric for metric in topic.metrics if metric.buckets]
    rows_of_buckets = [(f"`{one.name}`", ", ".join(f"{bound:g}" for bound in one.buckets)) for one in histograms]
    return "\n".join([*parts, BUCKETS, table(("histogram", "bounds"), rows_of_buckets)])


def _row(metric: Metric, shared: Label) -> tuple[str, ...]:
    labels = "; ".join(_label(label) for label in metric.labels if label != shared)
    return f"`{metric.name}`", metric.kind.value, metric.help, ", ".join(sorted(metric.roles)), labels or "-"


def _label(label: Label) -> str:
    values = ", ".join(f"`{value.name}` ({value.meaning})" for value in label.values)
    return f"`{label.name}`, {label.help}{f': {values}' if values else ''}"
