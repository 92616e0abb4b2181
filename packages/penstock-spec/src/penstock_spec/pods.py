"""What specs of every kind say about their pods."""

from __future__ import annotations

from typing import Annotated, Literal

from penstock_spec.model import Section, about
from penstock_spec.values.bounds import ROOM_FOR_PYTHON, SOME_CPU
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
    """What a pod asks for; memory is its limit too."""

    cpu: Annotated[Cpu, about("The share of CPUs that a pod asks for.", "250m"), SOME_CPU] = Cpu("250m")
    memory: Annotated[
        Size,
        about("The memory that a pod asks for, and its limit; without a unit it is bytes.", "256Mi"),
        ROOM_FOR_PYTHON,
    ] = Size("256Mi")


class EgressRule(Section):
    """Where handlers go besides Redis: a database, an API. Pods reach this, DNS and Redis, and nothing else."""

    port: Annotated[int, about("The port there.", 5432, ge=1, le=65535)]
    protocol: Annotated[Literal["TCP", "UDP"], about("What is spoken.", "TCP")] = "TCP"
    cidr: Annotated[
        Cidr | None, about("The addresses; any, where neither these nor a namespace are said.", "10.20.0.0/16")
    ] = None
    namespace: Annotated[
        Namespace | None, about("Pods of this namespace; beside `cidr`, either may be reached.", "databases")
    ] = None


Egress = Annotated[
    list[EgressRule],
    about(
        "What handlers reach besides Redis and DNS. A network policy knows no host names.",
        [{"port": 5432, "cidr": "10.20.0.0/16"}],
    ),
]
Grace = Annotated[Duration, about("From the signal to the kill.", "90s")]
SidecarQuitUrl = Annotated[
    Url | None,
    about("Called with POST at the end, so that a sidecar leaves too.", "http://127.0.0.1:15020/quitquitquit"),
]
