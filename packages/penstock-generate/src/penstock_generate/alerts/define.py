"""What an alert is: a query and a threshold apart, so that its rule, its tests and its panel say the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self, TypeVar

from penstock_generate.rendering.placeholders import blank
from penstock_generate.rendering.promql import name_of, number, quoted, selector
from penstock_spec.metrics import Metric
from penstock_spec.values.quantities import Duration

ToldT = TypeVar("ToldT")
Severity = Literal["critical", "warning", "info"]
Feed = Callable[[float], Mapping[str, str]]
"""From a value to series, in promtool's notation, for which the query has this value."""

QUARTER = 15
"""Minutes."""
SHARE = 0.8
"""Of a bound, from which on somebody should know that it is near."""
STEPS = 400
"""Samples of a series, a minute apart."""
PLACES = {"short": 0, "s": 1, "percentunit": 2}
"""By unit: digits after the point in a description, and so the step that can be told."""
RATE_INTERVAL = "$__rate_interval"
"""Grafana's: long enough for what is scraped, and as fine as the picture."""
VALUE = "{value}"
"""In a description: the value that the query had."""
NAMESPACE, NAME = blank("namespace in a query"), blank("name in a query")
"""In the place of labels, for whoever asks for the series of many specs at once."""


def names_in_queries(namespace: str, name: str) -> Mapping[str, str]:
    """What goes into these blanks, between the quotes of PromQL."""
    return {"namespace in a query": quoted(namespace)[1:-1], "name in a query": quoted(name)[1:-1]}


def _at_once(_: float) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Query:
    """An expression, and what makes it true. Those that read alike are fed alike."""

    text: str
    feed: Feed = field(compare=False)
    warm: int = 0
    """Minutes until it has the value."""
    beyond: Callable[[float], int] = field(default=_at_once, compare=False)
    """The minute from which on it is beyond a threshold that this value is just beyond: what rounds is so early."""
    exact: bool = True
    """A quotient comes out a little beside."""


class Alert(NamedTuple):
    """One rule."""

    name: str
    severity: Severity
    query: Query
    operator: Literal[">", ">=", "<"]
    threshold: float
    minutes: int
    """How long it must hold."""
    summary: str
    description: str
    unit: Literal["short", "s", "percentunit"] = "short"

    @property
    def expression(self) -> str:
        """The query against its threshold."""
        return f"{self.query.text} {self.operator} {number(self.threshold)}"

    @property
    def quiet(self) -> float:
        """A value just on this side."""
        if self.operator == ">=":
            return self.threshold - self._step
        if self.query.exact:
            return self.threshold
        return self.threshold + (self._step if self.operator == "<" else -self._step)

    @property
    def loud(self) -> float:
        """A value just on the other."""
        if self.operator == ">=":
            return self.threshold
        return self.threshold + self._step if self.operator == ">" else self.threshold - self._step

    @property
    def _step(self) -> float:
        return 10.0 ** -PLACES[self.unit]

    def described(self, value: float | None = None) -> str:
        """The description: of a value, or with the place for one."""
        places = PLACES[self.unit]
        said = f'{{{{ printf "%.{places}f" $value }}}}' if value is None else f"{value:.{places}f}"
        return self.description.replace(VALUE, said)


class Series:
    """The series of one pipeline, or of whatever labels tell apart: queries over them, and what feeds these.

    What is asked often is kept: thousands of specs ask the same of series whose labels are blanks.
    """

    def __init__(self, labels: Mapping[str, str], *chosen: str) -> None:
        """`labels` tell it from others; `chosen` are variables of a dashboard that narrow it."""
        self._labels = labels
        self._chosen = chosen
        self._known: dict[tuple[object, ...], Any] = {}

    def of(self, metric: Metric | str, **more: str) -> str:
        """The selector."""
        name = name_of(metric)

        def told() -> str:
            return selector(name, {**self._labels, **more}, *self._chosen)

        return self._once((name, *more.items()), told)

    def each(self, metric: Metric | str, form: str = "{}", **more: str) -> str:
        """The series in a form such as `rate({}[5m])`."""
        return form.format(self.of(metric, **more))

    def rate(self, metric: Metric | str, minutes: int, **more: str) -> str:
        """How fast a counter grows, series by series. It means the same over any time: a dashboard chooses its own."""
        window = RATE_INTERVAL if self._chosen else f"{minutes}m"
        return f"rate({self.of(metric, **more)}[{window}])"

    def gauge(self, metric: Metric | str, how: str = "max", **more: str) -> Query:
        """The highest, or the sum, of what pods tell."""

        def asked() -> Query:
            series = self.of(metric, **more)
            text = f"{how}({self.each(metric, **more)})"
            return Query(text, lambda value: {series: f"{number(value)}+0x{STEPS}"})

        return self._once(("gauge", name_of(metric), how, *more.items()), asked)

    def missing(self, metric: Metric | str, having: str = "") -> Query:
        """1 where nobody tells it, or nobody tells it so; nothing where somebody does."""
        series = self.of(metric)
        text = f"absent({f'{series} {having}' if having else series})"
        return Query(text, lambda value: {} if value else {series: f"1+0x{STEPS}"})

    def share(self, part: str, whole: str) -> Query:
        """How much of one gauge another is, where it is worst; nothing where the whole is 0, which means no bound."""
        used, most = self.of(part), self.of(whole)
        told = {most: f"100+0x{STEPS}"}
        text = f"max({used} / ({most} > 0))"
        return Query(text, lambda value: {used: f"{number(value * 100)}+0x{STEPS}", **told}, exact=False)

    def grown(self, metric: Metric | str, minutes: int, **more: str) -> Query:
        """By how much a counter grew in these minutes, over all pods. Rounded: Prometheus extrapolates."""

        def asked() -> Query:
            series = self.of(metric, **more)
            growth = self.each(metric, f"increase({{}}[{minutes}m])", **more)
            return Query(
                f"round(sum({growth}))",
                lambda value: {series: f"0+{number(value / minutes)}x{STEPS}"},
                minutes + 1,
                lambda value: math.ceil(minutes * (1 - 0.5 / value)),
            )

        return self._once(("grown", name_of(metric), minutes, *more.items()), asked)

    def risen(self, metric: Metric | str, minutes: int) -> Query:
        """By how much a gauge rose above its least in these minutes: what is remembered, whoever tells it now."""
        series = self.of(metric)
        text = f"max({series}) - min(min_over_time({series}[{minutes}m]))"
        fed = f"0x{minutes - 5} {{}}+0x{STEPS}"
        return Query(text, lambda value: {series: fed.format(number(value))}, minutes + 1)

    def ratio(self, over: str, under: str, minutes: int) -> Query:
        """How one counter grows beside another."""

        def asked() -> Query:
            upper, lower = self.of(over), self.of(under)
            text = f"sum({self.rate(over, minutes)}) / sum({self.rate(under, minutes)})"
            told = {lower: f"0+60x{STEPS}"}
            return Query(text, lambda value: {upper: f"0+{number(value * 60)}x{STEPS}", **told}, minutes, exact=False)

        return self._once(("ratio", over, under, minutes), asked)

    def _once(self, what: tuple[object, ...], tell: Callable[[], ToldT]) -> ToldT:
        known: ToldT | None = self._known.get(what)
        if known is None:
            known = self._known[what] = tell()
        return known


class Elsewhere(Series):
    """Series about what is ours, of somebody who is scraped in another namespace: KEDA.

    Unless whoever scrapes it keeps its labels (`honorLabels`), `namespace` is where KEDA runs, and what KEDA itself
    called so is `exported_namespace`. The monitors of its chart do not keep them, others may: either is asked for.
    """

    def each(self, metric: Metric | str, form: str = "{}", **more: str) -> str:
        """The series under either label."""
        labels = {f"exported_{name}" if name == "namespace" else name: value for name, value in self._labels.items()}
        exported = selector(name_of(metric), {**labels, **more}, *self._chosen)
        return f"{super().each(metric, form, **more)} or {form.format(exported)}"


@dataclass(frozen=True, slots=True)
class Sources:
    """Whose series are asked for: a pipeline's own, and what KEDA and kube-state-metrics tell of it."""

    ours: Series
    scaler: Elsewhere
    hpa: Series
    deployment: Series

    @classmethod
    def of(cls, namespace: str, name: str, *chosen: str) -> Self:
        """By name; `chosen` are variables of a dashboard, which KEDA and Kubernetes know nothing of."""
        where = {"namespace": namespace}
        return cls(
            Series({**where, "pipeline": name}, *chosen),
            Elsewhere({**where, "scaledObject": name}),
            Series({**where, "horizontalpodautoscaler": f"keda-hpa-{name}"}),
            Series({**where, "deployment": name}),
        )


def added(queries: Iterable[Query]) -> Query:
    """The sum of several; the first has all of it in a test."""
    first, *rest = queries

    def feed(value: float) -> Mapping[str, str]:
        return {**first.feed(value), **{name: said for one in rest for name, said in one.feed(0).items()}}

    return Query(" + ".join(one.text for one in (first, *rest)), feed)


def minutes(duration: Duration) -> int:
    """Rounded up."""
    return max(1, -(-duration.amount // 60_000))
