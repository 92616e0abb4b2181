"""A schedule: how the world is set up, and what goes wrong in it. With its seed it is all that a run depends on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Said:
    """A message, and what its handler does."""

    name: str
    kind: str = "ok"
    """See `handlers.py`."""
    seconds: float = 0.0
    """That its handler takes."""
    delay: float = 0.0
    at: float = 0.0
    """When it is sent, in seconds from the beginning."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The world before anything goes wrong. Times are in seconds."""

    messages: tuple[Said, ...]
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
    """For an answer."""
    style: str = "async"
    """Of handlers: `async` or `thread`."""
    isolation: str = "none"
    page: int = 250
    """Entries of a page, wherever there are pages."""
    dedup: bool = False
    wires: str = "usual"
    """How long commands take: `quick`, `usual` or `rough`."""
    loaded: bool = True
    """The server knows the scripts from the start."""
    respawn: float = 2.0
    """A process that ended is replaced after so long."""
    horizon: float = 40.0
    """Nothing goes wrong after that."""
    cold: bool = False
    """Then all workers end, and for a time there is the janitor alone."""
    base: int = 0
    """Entries the stream had before: where ids begin."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong: at its time, or with the next command of a kind after it."""

    at: float
    kind: str
    """See `faults.py`."""
    who: str = ""
    """A process, or one of its links: `W1`, `W1/settler`."""
    step: str = ""
    """A command or script; nothing stands for the time itself, `*` for any."""
    moment: str = ""
    """`issued`, `executed` or `answered`: what of that command."""
    seconds: float = 0.0
    what: str = ""

    def __str__(self) -> str:
        when = f" when {self.step} is {self.moment}" if self.step and self.moment else f" {self.step}" * bool(self.step)
        told = (self.kind, self.who + when, self.what, f"{self.seconds:g} s" if self.seconds else "")
        return f"{self.at:g} s: " + " ".join(word for word in told if word)


@dataclass(frozen=True, slots=True)
class Plan:
    """All of it."""

    seed: str
    setup: Setup
    faults: tuple[Fault, ...] = ()

    def without(self, faults: Iterable[Fault]) -> Plan:
        gone = list(faults)
        return replace(self, faults=tuple(one for one in self.faults if one not in gone))

    def told(self) -> dict[str, Any]:
        """As JSON: only what is not as usual."""
        return {
            "seed": self.seed,
            "setup": _unusual(self.setup) | {"messages": [_unusual(one) for one in self.setup.messages]},
            "faults": [_unusual(one) for one in self.faults],
        }

    @classmethod
    def of(cls, told: dict[str, Any]) -> Plan:
        """As `told` has it."""
        said = dict(told["setup"])
        messages = tuple(Said(**one) for one in said.pop("messages"))
        return cls(told["seed"], Setup(messages, **said), tuple(Fault(**one) for one in told["faults"]))


def _unusual(one: Any) -> dict[str, Any]:  # noqa: ANN401 - any of the three
    usual = {name: field.default for name, field in type(one).__dataclass_fields__.items()}
    return {name: value for name, value in asdict(one).items() if value != usual[name]}
