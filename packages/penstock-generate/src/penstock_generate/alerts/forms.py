"""Alerts as YAML, with blanks for what tells specs apart: thousands of specs share most of their alerts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from penstock_generate.alerts.define import Alert
from penstock_generate.alerts.rules import About, rule, tests
from penstock_generate.rendering.placeholders import YAML, Form, Told, blank
from penstock_generate.rendering.yaml_text import block

MANY = 4096
"""Alerts that differ in more than their labels: most differ in a threshold."""


class Frame(NamedTuple):
    """What decides which labels and annotations there are."""

    label: str
    """The label that all metrics of a kind have, with the name of the spec."""
    runbooks: bool
    dashboards: bool

    @property
    def labels(self) -> dict[str, str]:
        """What tells the series of one spec from others."""
        return {"namespace": blank("namespace"), self.label: blank("name")}

    @property
    def about(self) -> About:
        """What alerts are about."""
        runbook = blank("runbook") if self.runbooks else None
        return About(self.labels, blank("team"), runbook, blank("dashboard") if self.dashboards else None)


class Alerts(NamedTuple):
    """All alerts of a spec, as lists that go on after a `:`."""

    rules: str
    tests: str


def filled(frame: Frame, alerts: Iterable[Alert], told: Told) -> Alerts:
    """Of one spec, whose values these are."""
    forms = [_forms(frame, alert) for alert in alerts]
    return Alerts(*("".join([form.filled(told) for form in each]) for each in zip(*forms, strict=True)))


@lru_cache(maxsize=MANY)
def _forms(frame: Frame, alert: Alert) -> tuple[Form, Form]:
    about = frame.about
    return Form.of(block([rule(about, alert)], 2), YAML), Form.of(block([*tests(about, alert)]), YAML)


def recorded(frame: Frame, queries: Mapping[str, str], dashboard: str, told: Told) -> str:
    """What a Prometheus records of a spec: queries by name, and under `dashboard` where its dashboard is."""
    return _recorded(frame, tuple(queries.items()), dashboard).filled(told)


@lru_cache(maxsize=MANY)
def _recorded(frame: Frame, queries: tuple[tuple[str, str], ...], dashboard: str) -> Form:
    rules = [{"record": name, "expr": query, "labels": frame.labels} for name, query in queries]
    rules.append({"record": dashboard, "expr": "vector(1)", "labels": {**frame.labels, "dashboard": blank("uid")}})
    return Form.of(block(rules, 2), YAML)
