"""Pieces of PromQL, with names from the metric contract and texts through a quoter."""

from __future__ import annotations

from collections.abc import Mapping
from json.encoder import encode_basestring as _as_json  # there are some hundred texts a pipeline

from penstock_spec.metrics import Metric


def quoted(text: str) -> str:
    """A string literal; its escapes are those of JSON, as far as a label can need them."""
    return _as_json(text).replace("\x7f", "\\x7f")


def selector(name: str, labels: Mapping[str, str], *chosen: str) -> str:
    """A metric's series with these labels, and with what was chosen of a dashboard's variables of these names."""
    matchers = [f"{label}={quoted(value)}" for label, value in labels.items()]
    matchers += [f'{label}=~"${label}"' for label in chosen]
    return f"{name}{{{','.join(matchers)}}}"


def number(value: float) -> str:
    """As short as it goes, without losing anything."""
    return f"{value:.15g}"


def name_of(metric: Metric | str) -> str:
    """One of ours, or one that Kubernetes or KEDA tell."""
    return metric if isinstance(metric, str) else metric.name
