"""What a worker tells over HTTP: health, and metrics as somebody who scrapes reads them."""

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
"""A page takes the worker and us some milliseconds, so that asking without a pause would slow both down."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """All metrics at one moment."""

    families: dict[str, Metric]
    """By the name that the contract has."""

    def of(self, name: str, **labels: str) -> float:
        """The sum over all samples with these labels; of a histogram, how many observations there were."""
        family = self._family(name)
        suffix = {"counter": "_total", "histogram": "_count"}.get(family.type, "")
        return sum(
            one.value
            for one in family.samples
            if one.name == family.name + suffix and all(one.labels[key] == value for key, value in labels.items())
        )

    def by(self, name: str, label: str) -> dict[str, float]:
        """By the values of a label, without those at 0."""
        values = {one.labels[label] for one in self._family(name).samples}
        return {value: count for value in sorted(values) if (count := self.of(name, **{label: value}))}

    def _family(self, name: str) -> Metric:
        found = self.families.get(f"penstock_{name}_total") or self.families.get(f"penstock_{name}_seconds")
        return found or self.families[f"penstock_{name}"]


def port(process: Process) -> int:
    """Where it answers."""
    process.until(Event.HTTP_LISTENING)
    found: int = process.events(Event.HTTP_LISTENING)[0]["port"]
    return found


def page(process: Process, path: str) -> tuple[int, str]:
    """A status, and what was answered."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port(process)}{path}", timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def numbers(process: Process) -> Numbers:
    """What it has counted by now."""
    status, text = page(process, "/metrics")
    assert status == 200, text
    return Numbers({f"{one.name}_total" if one.type == "counter" else one.name: one for one in read(text)})


def until_counted(process: Process, name: str, value: float, **labels: str) -> None:
    """Wait until a metric is what it should be."""
    deadline = time.monotonic() + PATIENCE
    while (counted := _counted(process, name, labels)) != value:
        said = ", ".join(f"{key}={word}" for key, word in labels.items())
        assert time.monotonic() < deadline, f"{name}({said}) is {counted}, and not {value:g} within {PATIENCE:g} s"
        time.sleep(EVERY)


def _counted(process: Process, name: str, labels: dict[str, str]) -> float | None:
    """Nothing from one that does not answer just now."""
    try:
        return numbers(process).of(name, **labels)
    except OSError:
        return None
