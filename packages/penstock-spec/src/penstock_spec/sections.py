"""What specs of every kind share: an owner, patches, and what a person has looked at and taken on."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from penstock_spec.model import Section, about
from penstock_spec.values.strings import Date, Field_, Name, Pointer, Text


class Owner(Section):
    """Who answers for a pipeline."""

    team: Annotated[Name, about("The team; alerts are routed by it.", "media")]
    contact: Annotated[Text | None, about("Where to reach them.", "#media-oncall")] = None


PATCHABLE = Literal[
    "ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule", "ScaledObject",
    "ServiceAccount", "TriggerAuthentication",
]  # fmt: skip


class Patch(Section):
    """A change of one generated manifest, for what the spec has no word for. It is checked as the spec is."""

    target: Annotated[PATCHABLE, about("The kind of the manifest.", "Deployment")]
    op: Annotated[Literal["add", "replace", "remove"], about("As in JSON Patch (RFC 6902).", "add")] = "replace"
    path: Annotated[Pointer, about("Where, as a JSON pointer.", "/spec/template/spec/nodeSelector")]
    value: Annotated[Any, about("What to put there.", {"disk": "fast"})] = None
    reason: Annotated[Text, about("Why the spec's own words do not do.", "these jobs need local disks")]


class Acknowledgement(Section):
    """A dangerous change that a person takes on, for a time."""

    change: Annotated[
        Literal["rename-stream", "rename-group", "shorten-retention", "lower-backlog-limit", "rename-keys"],
        about("The change.", "rename-stream"),
    ]
    reason: Annotated[Text, about("Why it is safe.", "the old stream is drained")]
    until: Annotated[Date, about("The last day on which it counts.", "2027-01-31")]


class Removal(Section):
    """Something whose removal a person takes on, for a time. It stands in the platform file: its own is gone."""

    change: Annotated[Literal["remove-pipeline", "remove-environment"], about("The change.", "remove-pipeline")]
    name: Annotated[Name, about("What is removed.", "media-cluster")]
    reason: Annotated[Text, about("Why it is safe.", "its stream is drained")]
    until: Annotated[Date, about("The last day on which it counts.", "2027-01-31")]


class Suppression(Section):
    """A finding that a person has looked at and takes on, for a time."""

    rule: Annotated[Field_, about("The rule's name.", "target-below-concurrency")]
    at: Annotated[Field_ | None, about("Only where it is found at this field.", "scaling.backlog_per_replica")] = None
    reason: Annotated[Text, about("Why it is right here.", "each message is heavy, and pods are cheap")]
    until: Annotated[Date, about("The last day on which it counts.", "2027-01-31")]
