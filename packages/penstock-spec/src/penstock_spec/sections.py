"""Sections that specs of every kind share: owner, patches, acknowledgements, suppressions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from penstock_spec.model import Section, about
from penstock_spec.values.strings import Date, Field_, Name, Pointer, Text


class Owner(Section):
    """The team that is responsible for a spec."""

    team: Annotated[Name, about("The team; it decides the route of alerts.", "media")]
    contact: Annotated[Text | None, about("How to reach the team.", "#media-oncall")] = None


PATCHABLE = Literal[
    "ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule", "ScaledObject",
    "ServiceAccount", "TriggerAuthentication",
]  # fmt: skip


class Patch(Section):
    """A change of a generated manifest, if the spec has no field for it. Rules check the patched manifest."""

    target: Annotated[PATCHABLE, about("The kind of the manifest.", "Deployment")]
    op: Annotated[Literal["add", "replace", "remove"], about("The operation, as in JSON Patch (RFC 6902).", "add")] = (
        "replace"
    )
    path: Annotated[Pointer, about("The place, as a JSON pointer.", "/spec/template/spec/nodeSelector")]
    value: Annotated[Any, about("The new value.", {"disk": "fast"})] = None
    reason: Annotated[Text, about("Why the fields of the spec are not enough.", "these jobs need local disks")]


class Acknowledgement(Section):
    """A dangerous change that a person accepts until a date."""

    change: Annotated[
        Literal["rename-stream", "rename-group", "shorten-retention", "lower-backlog-limit", "rename-keys"],
        about("The change.", "rename-stream"),
    ]
    reason: Annotated[Text, about("Why it is safe.", "the old stream is drained")]
    until: Annotated[Date, about("The last day on which it is valid.", "2027-01-31")]


class Removal(Section):
    """A removal that a person accepts until a date. It is in the platform file, because the removed spec is gone."""

    change: Annotated[Literal["remove-pipeline", "remove-environment"], about("The change.", "remove-pipeline")]
    name: Annotated[Name, about("The name of the removed spec or environment.", "media-cluster")]
    reason: Annotated[Text, about("Why it is safe.", "its stream is drained")]
    until: Annotated[Date, about("The last day on which it is valid.", "2027-01-31")]


class Suppression(Section):
    """A finding that a person accepts until a date."""

    rule: Annotated[Field_, about("The rule's name.", "target-below-concurrency")]
    at: Annotated[Field_ | None, about("Suppress it only at this field.", "scaling.backlog_per_replica")] = None
    reason: Annotated[Text, about("Why it is right here.", "each message is heavy, and pods are cheap")]
    until: Annotated[Date, about("The last day on which it is valid.", "2027-01-31")]
