"""Alerts as YAML with placeholders: thousands of specs share most of their alerts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from penstock_generate.alerts.define import Alert
from penstock_generate.alerts.rules import AlertContext, rule, tests
from penstock_generate.rendering.placeholders import YAML, FilledValues, PreparedText, placeholder
from penstock_generate.rendering.yaml_text import block

MANY = 4096
"""The number of cached alerts; most differ in a threshold."""


class AlertFrame(NamedTuple):
    """The facts that decide which labels and annotations an alert has."""

    label: str
    """The label with the spec's name that all metrics of a kind have."""
    runbooks: bool
    dashboards: bool

    @property
    def labels(self) -> dict[str, str]:
        """The labels that select the series of a spec."""
        return {"namespace": placeholder("namespace"), self.label: placeholder("name")}

    @property
    def about(self) -> AlertContext:
        """The labels and annotations, with placeholders."""
        runbook = placeholder("runbook") if self.runbooks else None
        return AlertContext(
            self.labels, placeholder("team"), runbook, placeholder("dashboard") if self.dashboards else None
        )


class AlertTexts(NamedTuple):
    """The alerts of a spec as YAML lists that continue after a `:`."""

    rules: str
    tests: str


def filled(frame: AlertFrame, alerts: Iterable[Alert], values: FilledValues) -> AlertTexts:
    """The alerts of one spec, with its values."""
    forms = [_forms(frame, alert) for alert in alerts]
    return AlertTexts(*("".join([form.filled(values) for form in each]) for each in zip(*forms, strict=True)))


@lru_cache(maxsize=MANY)
def _forms(frame: AlertFrame, alert: Alert) -> tuple[PreparedText, PreparedText]:
    about = frame.about
    return PreparedText.of(block([rule(about, alert)], 2), YAML), PreparedText.of(block([*tests(about, alert)]), YAML)


def recorded(frame: AlertFrame, queries: Mapping[str, str], dashboard: str, values: FilledValues) -> str:
    """The recording rules of a spec, and the series named `dashboard` with the uid of its dashboard."""
    return _recorded(frame, tuple(queries.items()), dashboard).filled(values)


@lru_cache(maxsize=MANY)
def _recorded(frame: AlertFrame, queries: tuple[tuple[str, str], ...], dashboard: str) -> PreparedText:
    rules = [{"record": name, "expr": query, "labels": frame.labels} for name, query in queries]
    rules.append(
        {"record": dashboard, "expr": "vector(1)", "labels": {**frame.labels, "dashboard": placeholder("uid")}}
    )
    return PreparedText.of(block(rules, 2), YAML)
