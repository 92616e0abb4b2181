"""An alert as a value: the query apart from the threshold, so that the rule, its tests and its panel agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self, TypeVar

from penstock_generate.rendering.placeholders import placeholder
from penstock_generate.rendering.promql import name_of, number, quoted, selector
from penstock_spec.metrics import Metric
from penstock_spec.values.quantities import Duration

ValueT = TypeVar("ValueT")
Severity = Literal["critical", "warning", "info"]
TestSeries = Callable[[float], Mapping[str, str]]
"""Builds test series in promtool's notation, for which the query has this value."""

QUARTER = 15
"""Minutes: the usual window."""
SHARE = 0.8
"""The share of a limit at which a warning fires."""
STEPS = 400
"""Samples of a test series, one per minute."""
PLACES = {"short": 0, "s": 1, "percentunit": 2}
"""Digits after the decimal point in descriptions, by unit. The smallest step in tests follows from it."""
RATE_INTERVAL = "$__rate_interval"
"""Grafana's variable: it fits the scrape interval and the zoom."""
VALUE = "{value}"
"""In a description: the value of the query."""
NAMESPACE, NAME = placeholder("namespace in a query"), placeholder("name in a query")
"""Placeholders for labels, for queries that many specs share."""


def names_in_queries(namespace: str, name: str) -> Mapping[str, str]:
    """The values of these placeholders, escaped for PromQL strings."""
    return {"namespace in a query": quoted(namespace)[1:-1], "name in a query": quoted(name)[1:-1]}


def _at_once(_: float) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Query:
    """An expression with test series. Queries with the same text have the same test series."""

    text: str
    test_series: TestSeries = field(compare=False)
    warm_up: int = 0
    """Minutes until the query has its value in a test."""
    beyond: Callable[[float], int] = field(default=_at_once, compare=False)
    """The minute at which the query crosses a threshold just below the value: rounding makes it early."""
    exact: bool = True
    """False for quotients, which may deviate by a rounding error."""


class Alert(NamedTuple):
    name: str
    severity: Severity
    query: Query
    operator: Literal[">", ">=", "<"]
    threshold: float
    minutes: int
    """How long the condition must hold."""
    summary: str
    description: str
    unit: Literal["short", "s", "percentunit"] = "short"

    @property
    def expression(self) -> str:
        """The query compared with its threshold."""
        return f"{self.query.text} {self.operator} {number(self.threshold)}"

    @property
    def quiet_value(self) -> float:
        """The closest value that does not fire."""
        if self.operator == ">=":
            return self.threshold - self._step
        if self.query.exact:
            return self.threshold
        return self.threshold + (self._step if self.operator == "<" else -self._step)

    @property
    def firing_value(self) -> float:
        """The closest value that fires."""
        if self.operator == ">=":
            return self.threshold
        return self.threshold + self._step if self.operator == ">" else self.threshold - self._step

    @property
    def _step(self) -> float:
        return 10.0 ** -PLACES[self.unit]

    def described(self, value: float | None = None) -> str:
        """The description with a value, or with Prometheus's template for it."""
        places = PLACES[self.unit]
        shown = f'{{{{ printf "%.{places}f" $value }}}}' if value is None else f"{value:.{places}f}"
        return self.description.replace(VALUE, shown)


class Series:
    """Queries over the series with some labels, and their test series.

    Frequent queries are cached: thousands of specs share those whose labels are placeholders.
    """

    def __init__(self, labels: Mapping[str, str], *chosen: str) -> None:
        """`labels` select the series; `chosen` are variables of a dashboard that filter them."""
        self._labels = labels
        self._chosen = chosen
        self._known: dict[tuple[object, ...], Any] = {}

    def of(self, metric: Metric | str, **more: str) -> str:
        """The selector."""
        name = name_of(metric)

        def build() -> str:
            return selector(name, {**self._labels, **more}, *self._chosen)

        return self._once((name, *more.items()), build)

    def each(self, metric: Metric | str, form: str = "{}", **more: str) -> str:
        """The series inside an expression such as `rate({}[5m])`."""
        return form.format(self.of(metric, **more))

    def rate(self, metric: Metric | str, minutes: int, **more: str) -> str:
        """The rate of a counter by series. On a dashboard the window follows the zoom."""
        window = RATE_INTERVAL if self._chosen else f"{minutes}m"
        return f"rate({self.of(metric, **more)}[{window}])"

    def gauge(self, metric: Metric | str, how: str = "max", **more: str) -> Query:
        """The maximum, or another aggregate, over all pods."""

        def build() -> Query:
            series = self.of(metric, **more)
            text = f"{how}({self.each(metric, **more)})"
            return Query(text, lambda value: {series: f"{number(value)}+0x{STEPS}"})

        return self._once(("gauge", name_of(metric), how, *more.items()), build)

    def missing(self, metric: Metric | str, having: str = "") -> Query:
        """1 if no series exists, or none satisfies the condition; no value otherwise."""
        series = self.of(metric)
        text = f"absent({f'{series} {having}' if having else series})"
        return Query(text, lambda value: {} if value else {series: f"1+0x{STEPS}"})

    def share(self, part: str, whole: str) -> Query:
        """The highest ratio of two gauges; no value if the denominator is 0, which means no limit."""
        used, limit = self.of(part), self.of(whole)
        limits = {limit: f"100+0x{STEPS}"}
        text = f"max({used} / ({limit} > 0))"
        return Query(text, lambda value: {used: f"{number(value * 100)}+0x{STEPS}", **limits}, exact=False)

    def increase(self, metric: Metric | str, minutes: int, **more: str) -> Query:
        """The increase of a counter in these minutes over all pods, rounded because Prometheus extrapolates."""

        def build() -> Query:
            series = self.of(metric, **more)
            growth = self.each(metric, f"increase({{}}[{minutes}m])", **more)
            return Query(
                f"round(sum({growth}))",
                lambda value: {series: f"0+{number(value / minutes)}x{STEPS}"},
                minutes + 1,
                lambda value: math.ceil(minutes * (1 - 0.5 / value)),
            )

        return self._once(("grown", name_of(metric), minutes, *more.items()), build)

    def rise(self, metric: Metric | str, minutes: int) -> Query:
        """The rise of a gauge above its minimum in these minutes. It survives a change of the exporting process."""
        series = self.of(metric)
        text = f"max({series}) - min(min_over_time({series}[{minutes}m]))"
        fed = f"0x{minutes - 5} {{}}+0x{STEPS}"
        return Query(text, lambda value: {series: fed.format(number(value))}, minutes + 1)

    def ratio(self, over: str, under: str, minutes: int) -> Query:
        """The ratio of the rates of two counters."""

        def build() -> Query:
            upper, lower = self.of(over), self.of(under)
            text = f"sum({self.rate(over, minutes)}) / sum({self.rate(under, minutes)})"
            divisor = {lower: f"0+60x{STEPS}"}
            return Query(
                text, lambda value: {upper: f"0+{number(value * 60)}x{STEPS}", **divisor}, minutes, exact=False
            )

        return self._once(("ratio", over, under, minutes), build)

    def _once(self, key: tuple[object, ...], build: Callable[[], ValueT]) -> ValueT:
        value: ValueT | None = self._known.get(key)
        if value is None:
            value = self._known[key] = build()
        return value


class OtherNamespaceSeries(Series):
    """Series of a program that is scraped in another namespace: KEDA.

    Unless its scrape config keeps its labels (`honorLabels`), `namespace` is KEDA's own namespace, and KEDA's label
    becomes `exported_namespace`. The monitors of its chart do not keep labels, others may; the queries cover both.
    """

    def each(self, metric: Metric | str, form: str = "{}", **more: str) -> str:
        """The series under either label."""
        labels = {f"exported_{name}" if name == "namespace" else name: value for name, value in self._labels.items()}
        exported = selector(name_of(metric), {**labels, **more}, *self._chosen)
        return f"{super().each(metric, form, **more)} or {form.format(exported)}"


@dataclass(frozen=True, slots=True)
class PipelineSources:
    """The series of a pipeline, and those of KEDA and kube-state-metrics about it."""

    ours: Series
    scaler: OtherNamespaceSeries
    hpa: Series
    deployment: Series

    @classmethod
    def of(cls, namespace: str, name: str, *chosen: str) -> Self:
        """By name; `chosen` are variables of a dashboard, which only the pipeline's own series have."""
        where = {"namespace": namespace}
        return cls(
            Series({**where, "pipeline": name}, *chosen),
            OtherNamespaceSeries({**where, "scaledObject": name}),
            Series({**where, "horizontalpodautoscaler": f"keda-hpa-{name}"}),
            Series({**where, "deployment": name}),
        )


def added(queries: Iterable[Query]) -> Query:
    """The sum of several queries; in tests the first has the full value."""
    first, *rest = queries

    def test_series(value: float) -> Mapping[str, str]:
        zeros = {name: values for one in rest for name, values in one.test_series(0).items()}
        return {**first.test_series(value), **zeros}

    return Query(" + ".join(one.text for one in (first, *rest)), test_series)


def less(query: Query, other: Query) -> Query:
    """The difference of two queries; a missing second one counts as 0, and it is 0 in tests."""
    return Query(
        f"{query.text} - ({other.text} or vector(0))",
        lambda value: {**query.test_series(value), **other.test_series(0)},
    )


def minutes(duration: Duration) -> int:
    """In minutes, rounded up."""
    return max(1, -(-duration.amount // 60_000))
