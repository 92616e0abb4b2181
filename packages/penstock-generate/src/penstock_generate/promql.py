"""Pieces of PromQL, with names from the metric contract and texts through a quoter."""

from __future__ import annotations

import json
from collections.abc import Mapping

from penstock_spec.metrics import Metric


def quoted(text: str) -> str:
    """A string literal; its escapes are those of JSON, as far as a label can need them."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")


def selector(name: str, labels: Mapping[str, str]) -> str:
    """A metric's series with these labels."""
    return f"{name}{{{','.join(f'{label}={quoted(value)}' for label, value in labels.items())}}}"


def number(value: float) -> str:
    """As short as it goes, without losing anything."""
    return f"{value:.15g}"


def name_of(metric: Metric | str) -> str:
    """One of ours, or one that Kubernetes or KEDA tell."""
    return metric if isinstance(metric, str) else metric.name
