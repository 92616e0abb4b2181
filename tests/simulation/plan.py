"""A schedule: the setup of the world, and its faults. With its seed it determines the whole run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class PlannedMessage:
    """A message, and what its handler does."""

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
    most_held: int = 256
    lease: float = 10.0
    timeout: float = 30.0
    grace: float = 30.0
    margin: float = 10.0
    patience: float = 3.0
    """How long links wait for an answer."""
    style: str = "async"
    """The style of handlers: `async` or `thread`."""
    isolation: str = "none"
    page: int = 250
    """Entries of a page, everywhere."""
    dedup: bool = False
    wires: str = "usual"
    """How long commands take: `quick`, `usual` or `rough`."""
    loaded: bool = True
    """The server knows the scripts from the start."""
    respawn: float = 2.0
    """The time until an ended process is replaced."""
    horizon: float = 40.0
    """No fault comes after that."""
    cold: bool = False
    """Whether all workers end then, and the janitor is alone for a time."""
    base: int = 0
    """The number of earlier entries, after which ids start."""


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
        told = (self.kind, self.who + when, self.what, f"{self.seconds:g} s" if self.seconds else "")
        return f"{self.at:g} s: " + " ".join(word for word in told if word)


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole schedule."""

    seed: str
    setup: Setup
    faults: tuple[Fault, ...] = ()

    def without(self, faults: Iterable[Fault]) -> Plan:
        gone = list(faults)
        return replace(self, faults=tuple(one for one in self.faults if one not in gone))

    def to_json(self) -> dict[str, Any]:
        """As JSON, without default values."""
        return {
            "seed": self.seed,
            "setup": _unusual(self.setup) | {"messages": [_unusual(one) for one in self.setup.messages]},
            "faults": [_unusual(one) for one in self.faults],
        }

    @classmethod
    def of(cls, told: dict[str, Any]) -> Plan:
        """Read what `to_json` wrote."""
        said = dict(told["setup"])
        messages = tuple(PlannedMessage(**one) for one in said.pop("messages"))
        return cls(told["seed"], Setup(messages, **said), tuple(Fault(**one) for one in told["faults"]))


def _unusual(one: Any) -> dict[str, Any]:  # noqa: ANN401 - any of the three
    usual = {name: field.default for name, field in type(one).__dataclass_fields__.items()}
    return {name: value for name, value in asdict(one).items() if value != usual[name]}
