"""The decisions of KEDA and the HPA, second by second: as measured, or calculated by hand from their formulas.

A timeline in `timelines/` has

    readings     the triggers' values from a second on: a number, `error` (an error response) or `absent` (no response)
    pods         the number of pods from a second on
    values       the value of the HPA's only metric at its last read, by second
    falls_back   whether a trigger has failed too often by then

and, if they differ from the file's defaults, `triggers` by name and kind, `formula`, `target`, `min`, `max`,
`behavior`, `spec`, `annotations`, `sync`, and the `replicas` at the start. The comment shows the calculation.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from scaled_objects import scaled_object

from penstock_scaling import Autoscaler, Failed, Readings, settings_of

Timeline = dict[str, Any]

FOLDER = Path(__file__).parent / "timelines"
DEFAULTS: dict[str, Timeline] = {
    "measured": {},
    "hpa": {"target": 1, "min": 1, "max": 100, "spec": {"pollingInterval": 30, "cooldownPeriod": 300}},
    "keda": {"target": 5, "spec": {"pollingInterval": 10, "cooldownPeriod": 60}},
}
TIMELINES = [
    (path.stem, timeline) for path in sorted(FOLDER.glob("*.yaml")) for timeline in yaml.safe_load(path.read_text())
]
FAILURES = {"error": Failed.ERROR, "absent": Failed.UNREACHABLE}


def manifest_of(file: str, timeline: Timeline) -> Timeline:
    merged = {**DEFAULTS[file], **timeline}
    spec = {**DEFAULTS[file].get("spec", {}), **timeline.get("spec", {})}
    spec |= {
        key: merged[short] for short, key in (("min", "minReplicaCount"), ("max", "maxReplicaCount")) if short in merged
    }
    if "behavior" in merged:
        hpa = {"horizontalPodAutoscalerConfig": {"behavior": merged["behavior"]}}
        spec["advanced"] = {**spec.get("advanced", {}), **hpa}
    triggers, formula = merged.get("triggers", {"depth": "length"}), merged.get("formula", "depth")
    if "formula" in spec.get("advanced", {}).get("scalingModifiers", {}):
        formula = spec["advanced"]["scalingModifiers"]["formula"]
    return scaled_object(triggers, spec, formula, str(merged.get("target", 5)), merged.get("annotations"))


def at(values: dict[int, int], second: int) -> int:
    """The value at a second, of values that hold from a second on."""
    return values[max(one for one in values if one <= second)]


@pytest.mark.parametrize(("file", "timeline"), TIMELINES, ids=[one["name"] for _, one in TIMELINES])
def test_the_pods_match_the_timeline(file: str, timeline: Timeline) -> None:
    """In each second, exactly."""
    settings = settings_of(manifest_of(file, timeline))
    autoscaler = Autoscaler(replace(settings, sync=timeline.get("sync", settings.sync)))
    pods, actual = timeline.get("replicas", 0), []

    def readings(second: int) -> Readings:
        read: dict[str, Any] = {}
        for since in sorted(timeline["readings"]):
            read |= timeline["readings"][since] if since <= second else {}
        return {name: FAILURES.get(value, value) for name, value in read.items()}

    for second in range(timeline["until"] + 1):
        if second >= autoscaler.due():
            pods = autoscaler.advance(second, lambda: readings(second), pods)  # noqa: B023 - called at once
        actual.append((second, pods))
        if second in timeline.get("values", {}):
            assert [one.value for one in autoscaler.readout.metrics] == [timeline["values"][second]], second
        if second in timeline.get("falls_back", {}):
            assert autoscaler.readout.falling_back == timeline["falls_back"][second], second

    assert actual == [(second, at(timeline["pods"], second)) for second in range(timeline["until"] + 1)]


def test_there_are_enough_timelines() -> None:
    """All measured ones, and at least fifteen calculated ones."""
    files = [file for file, _ in TIMELINES]
    assert files.count("measured") == 4
    assert len(files) - 4 >= 15
