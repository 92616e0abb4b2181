"""Sections about pods, which specs of every kind share."""

from __future__ import annotations

from typing import Annotated, Literal

from penstock_spec.model import Section, about
from penstock_spec.values.bounds import MIN_1MCPU, MIN_16MI
from penstock_spec.values.quantities import Cpu, Duration, Size
from penstock_spec.values.strings import Cidr, Namespace, Url


def selector(name: str, role: str) -> dict[str, str]:
    """The labels that select the pods of a spec."""
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/component": role}


def labels(name: str, role: str, team: str) -> dict[str, str]:
    """The labels of all objects of a spec."""
    ours = {"app.kubernetes.io/part-of": "penstock", "app.kubernetes.io/managed-by": "penstock"}
    return {**selector(name, role), **ours, "penstock.dev/team": team}


class Resources(Section):
    """The resource requests of a pod; memory is its limit too."""

    cpu: Annotated[Cpu, about("The CPU request of a pod.", "250m"), MIN_1MCPU] = Cpu("250m")
    memory: Annotated[
        Size,
        about("The memory request and limit of a pod; a number without a unit is bytes.", "256Mi"),
        MIN_16MI,
    ] = Size("256Mi")


class EgressRule(Section):
    """A database or an API that handlers connect to. Pods can reach only these, DNS and Redis."""

    port: Annotated[int, about("The port.", 5432, ge=1, le=65535)]
    protocol: Annotated[Literal["TCP", "UDP"], about("The protocol.", "TCP")] = "TCP"
    cidr: Annotated[
        Cidr | None, about("The addresses; any if neither `cidr` nor `namespace` is set.", "10.20.0.0/16")
    ] = None
    namespace: Annotated[
        Namespace | None, about("The namespace of the pods; with `cidr`, both are allowed.", "databases")
    ] = None


Egress = Annotated[
    list[EgressRule],
    about(
        "Destinations that handlers may connect to besides Redis and DNS. A network policy has no host names.",
        [{"port": 5432, "cidr": "10.20.0.0/16"}],
    ),
]
Grace = Annotated[Duration, about("The time from SIGTERM to SIGKILL.", "90s")]
SidecarQuitUrl = Annotated[
    Url | None,
    about("Called with POST at the end, to stop a sidecar too.", "http://127.0.0.1:15020/quitquitquit"),
]
