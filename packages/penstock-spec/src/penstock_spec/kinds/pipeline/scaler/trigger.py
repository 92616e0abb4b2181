"""A KEDA trigger in a manifest, and the metadata of the known trigger types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from penstock_spec.kinds.pipeline.scaler.scaled_object import LISTS, STREAMS
from penstock_spec.reading import Path

Mode = Literal["length", "lag", "pending", "list", "other"]

# From KEDA 2.21's schema/generated/scalers-schema.json. Keys of CONNECTION also exist as `<name>FromEnv`.
CONNECTION = frozenset({
    "address", "addresses", "host", "hosts", "password", "port", "ports", "sentinelMaster", "sentinelPassword",
    "sentinelUsername", "username",
})  # fmt: skip
REDIS = CONNECTION | {f"{name}FromEnv" for name in CONNECTION} | {"databaseIndex", "enableTLS", "unsafeSsl"}
STREAM = REDIS | {
    "activationLagCount", "consumerGroup", "lagCount", "pendingEntriesCount", "stream", "streamLength",
}  # fmt: skip
LIST = REDIS | {"activationListLength", "listLength", "listName"}
METRICS_API = frozenset({
    "activationTargetValue", "aggregateFromKubeServiceEndpoints", "aggregationType", "authMode", "authModes", "format",
    "keyParamName", "method", "targetValue", "unsafeSsl", "url", "valueLocation",
})  # fmt: skip

KNOWN: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(STREAMS.values(), STREAM),
    **dict.fromkeys(LISTS.values(), LIST),
    "metrics-api": METRICS_API,
}
"""The metadata keys of each trigger type. KEDA silently ignores any other."""

ACTIVATION = ("activationLagCount", "activationListLength", "activationTargetValue")


@dataclass(frozen=True, slots=True)
class Trigger:
    """One trigger; `place` is its path in the manifest."""

    place: Path
    type: str
    name: str
    metadata: Mapping[str, Any]
    authentication: str
    mode: Mode

    @property
    def label(self) -> str:
        """The name of the trigger for messages, or its position."""
        return f"`{self.name[:60]}`" if self.name else f"trigger {self.place[-1]}"

    def at(self, key: str) -> Path:
        """The path of a metadata key in the manifest."""
        return (*self.place, "metadata", key)

    def positive(self, *keys: str) -> str | None:
        """The first of these metadata keys with a number of 1 or more."""
        return next((key for key in keys if (amount(self.metadata.get(key)) or 0) >= 1), None)


def triggers_in(items: object) -> Iterator[Trigger]:
    """The triggers in a manifest; items that are not sections are skipped."""
    for index, one in enumerate(items if isinstance(items, list) else ()):
        if isinstance(one, dict):
            metadata, by = _section(one.get("metadata")), _section(one.get("authenticationRef"))
            type_, name = _text(one.get("type")), _text(one.get("name"))
            place = ("spec", "triggers", index)
            yield Trigger(place, type_, name, metadata, _text(by.get("name")), _mode(type_, metadata))


def amount(value: object) -> float | None:
    """The value of a number or of a text with a number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _mode(type_: str, metadata: Mapping[str, Any]) -> Mode:
    """The number that KEDA reads, which depends on the metadata keys."""
    if type_ in LISTS.values():
        return "list"
    if type_ not in STREAMS.values():
        return "other"
    if not metadata.get("consumerGroup"):
        return "length"
    return "lag" if amount(metadata.get("lagCount")) else "pending"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _section(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
