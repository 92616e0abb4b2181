"""What specs of every kind say about their pods."""

from __future__ import annotations

from typing import Annotated

from penstock_spec.model import Part, about
from penstock_spec.values.bounds import ROOM_FOR_PYTHON, SOME_CPU
from penstock_spec.values.quantities import Cpu, Duration, Size
from penstock_spec.values.words import Url


class Resources(Part):
    """What a pod asks for; memory is its limit too."""

    cpu: Annotated[Cpu, about("The share of CPUs that a pod asks for.", "250m"), SOME_CPU] = Cpu("250m")
    memory: Annotated[
        Size,
        about("The memory that a pod asks for, and its limit; without a unit it is bytes.", "256Mi"),
        ROOM_FOR_PYTHON,
    ] = Size("256Mi")


Grace = Annotated[Duration, about("From the signal to the kill.", "90s")]
SidecarQuitUrl = Annotated[
    Url | None,
    about("Called with POST at the end, so that a sidecar leaves too.", "http://127.0.0.1:15020/quitquitquit"),
]
