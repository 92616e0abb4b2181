"""Reads the health and the metrics of a process over HTTP, as Prometheus does."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from dataclasses import dataclass

from patience import PATIENCE
from pipelines import Process
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families as read

from penstock.observe.events import Event

EVERY = 0.05
"""Seconds between requests. A page takes both sides some milliseconds; requests without a pause would slow both."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """All metrics at one moment."""

    families: dict[str, Metric]
    """By their names in the contract."""

    def of(self, name: str, **labels: str) -> float:
        """The sum over all samples with these labels; for a histogram, the number of observations."""
        family = self._family(name)
        suffix = {"counter": "_total", "histogram": "_count"}.get(family.type, "")
        return sum(
            one.value
            for one in family.samples
            if one.name == family.name + suffix and all(one.labels[key] == value for key, value in labels.items())
        )

    def by(self, name: str, label: str) -> dict[str, float]:
        """Values by a label, without those that are 0."""
        values = {one.labels[label] for one in self._family(name).samples}
        return {value: count for value in sorted(values) if (count := self.of(name, **{label: value}))}

    def _family(self, name: str) -> Metric:
        family = self.families.get(f"penstock_{name}_total") or self.families.get(f"penstock_{name}_seconds")
        return family or self.families[f"penstock_{name}"]


def port(process: Process) -> int:
    """The port on which a process serves HTTP."""
    process.until(Event.HTTP_LISTENING)
    number: int = process.events(Event.HTTP_LISTENING)[0]["port"]
    return number


def page(process: Process, path: str) -> tuple[int, str]:
    """The status and the body of a page."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port(process)}{path}", timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def numbers(process: Process) -> Numbers:
    """The current metrics of a process."""
    status, text = page(process, "/metrics")
    assert status == 200, text
    return Numbers({f"{one.name}_total" if one.type == "counter" else one.name: one for one in read(text)})


def until_counted(process: Process, name: str, value: float, **labels: str) -> None:
    """Wait until a metric has a value."""
    deadline = time.monotonic() + PATIENCE
    while (counted := _counted(process, name, labels)) != value:
        shown = ", ".join(f"{key}={word}" for key, word in labels.items())
        assert time.monotonic() < deadline, f"{name}({shown}) is {counted} after {PATIENCE:g} s, not {value:g}"
        time.sleep(EVERY)


def _counted(process: Process, name: str, labels: dict[str, str]) -> float | None:
    """A value, or None if the process does not answer."""
    try:
        return numbers(process).of(name, **labels)
    except OSError:
        return None
