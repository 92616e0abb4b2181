"""Parts of PromQL, with names from the metric contract and quoted texts."""

from __future__ import annotations

from collections.abc import Mapping
from json.encoder import encode_basestring as _as_json  # fast: there are hundreds of texts a pipeline

from penstock_spec.metrics import Metric


def quoted(text: str) -> str:
    """A string literal; for labels its escapes are those of JSON."""
    return _as_json(text).replace("\x7f", "\\x7f")


def selector(name: str, labels: Mapping[str, str], *chosen: str) -> str:
    """A metric's series with these labels, filtered by these variables of a dashboard."""
    matchers = [f"{label}={quoted(value)}" for label, value in labels.items()]
    matchers += [f'{label}=~"${label}"' for label in chosen]
    return f"{name}{{{','.join(matchers)}}}"


def number(value: float) -> str:
    """The shortest exact form."""
    return f"{value:.15g}"


def name_of(metric: Metric | str) -> str:
    """A metric of Penstock, or the name of another program's."""
    return metric if isinstance(metric, str) else metric.name
