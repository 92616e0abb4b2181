"""A schedule: the setup of the world and its faults. With its seed it determines the run completely."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

LONG = 1000
"""More entries than the stream of a schedule has, so that none is trimmed."""


@dataclass(frozen=True, slots=True)
class PlannedMessage:
    """A message and the behavior of its handler."""

    name: str
    kind: str = "ok"
    """See `handlers.py`."""
    seconds: float = 0.0
    """The duration of its handler."""
    delay: float = 0.0
    at: float = 0.0
    """When it is sent, in seconds from the beginning."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The world without faults. Times are in seconds."""

    messages: tuple[PlannedMessage, ...]
    workers: int = 1
    janitors: int = 0
    attempts: int = 3
    backoff: float = 1.0
    concurrency: int = 2
    max_pending: int = 256
    lease: float = 10.0
    timeout: float = 30.0
    grace: float = 30.0
    margin: float = 10.0
    patience: float = 3.0
    """How long links wait for a reply."""
    style: str = "async"
    """The style of handlers: `async` or `thread`."""
    isolation: str = "none"
    when_lost: str = "cancel"
    """Whether handlers end or go on when the lease may be lost: `cancel` or `continue`."""
    page: int = 250
    """The number of entries in each page."""
    dedup: bool = False
    history: bool = False
    """Whether finished entries stay in the stream."""
    keep: int = 1_000_000
    """How many entries stay in the stream then."""
    network: str = "usual"
    """How long commands take: `quick`, `usual` or `rough`."""
    scripts_loaded: bool = True
    """Whether the server knows the scripts from the start."""
    respawn: float = 2.0
    """The time until an ended process is replaced."""
    horizon: float = 40.0
    """The time of the last fault."""
    scale_to_zero: bool = False
    """Whether all workers end then, so that the janitor runs alone for a time."""
    earlier_entries: int = 0
    """The number of earlier entries, after which ids start."""
    memory: str = "ample"
    """Whether pods have memory for child processes: `ample`, `tight` (never), `varying`."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at a time, or with the next matching command after it."""

    at: float
    kind: str
    """See `faults.py`."""
    who: str = ""
    """A process, or one of its links: `W1`, `W1/settler`."""
    step: str = ""
    """A command or script, or `*` for any; empty for the time itself."""
    moment: str = ""
    """The moment of that command: `issued`, `executed` or `answered`."""
    seconds: float = 0.0
    what: str = ""

    def __str__(self) -> str:
        when = f" when {self.step} is {self.moment}" if self.step and self.moment else f" {self.step}" * bool(self.step)
        parts = (self.kind, self.who + when, self.what, f"{self.seconds:g} s" if self.seconds else "")
        return f"{self.at:g} s: " + " ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Plan:
    """A complete schedule."""

    seed: str
    setup: Setup
    faults: tuple[Fault, ...] = ()

    def without(self, faults: Iterable[Fault]) -> Plan:
        removed = list(faults)
        return replace(self, faults=tuple(one for one in self.faults if one not in removed))

    def to_json(self) -> dict[str, Any]:
        """As JSON, without default values."""
        return {
            "seed": self.seed,
            "setup": _without_defaults(self.setup)
            | {"messages": [_without_defaults(one) for one in self.setup.messages]},
            "faults": [_without_defaults(one) for one in self.faults],
        }

    @classmethod
    def of(cls, data: dict[str, Any]) -> Plan:
        """Read the output of `to_json`."""
        setup = dict(data["setup"])
        messages = tuple(PlannedMessage(**one) for one in setup.pop("messages"))
        return cls(data["seed"], Setup(messages, **setup), tuple(Fault(**one) for one in data["faults"]))


def _without_defaults(one: Any) -> dict[str, Any]:  # noqa: ANN401 - any of the three
    defaults = {name: field.default for name, field in type(one).__dataclass_fields__.items()}
    return {name: value for name, value in asdict(one).items() if value != defaults[name]}
