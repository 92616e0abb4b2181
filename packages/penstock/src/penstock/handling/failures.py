"""A failure as a value, and how `match` of a failure class compares with it.

A failure may come from another process, so it has names instead of types: those of the exception's class and its base
classes. A name is a module and a class in it, or a package that exports the class, such as `redis.ConnectionError`,
which is defined in `redis.exceptions`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from penstock.handling.exceptions import Bury, Retry
from penstock.handling.statuses import STATUSES, attribute, error_code_of, status_of
from penstock_spec.failures.matching import builtin, is_status
from penstock_spec.values.quantities import Duration

LONGEST = 1000
"""Characters of an error in a dead letter."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt failed."""

    types: tuple[str, ...]
    """Full names, the narrowest type first. The error code of an AWS service follows, which matches like a type."""
    status: int | None = None
    """The HTTP status that the exception carries, or that its code stands for."""
    text: str = ""
    wait_ms: int | None = None
    """The wait that the handler requested."""
    final: bool = False
    """Whether the handler requested no further attempt."""
    at: str = ""
    """The place in the team's code."""

    @classmethod
    def of(cls, exception: BaseException, at: str = "") -> Failure:
        """Describe an exception, even if reading its attributes raises."""
        code = error_code_of(exception) if isinstance(exception, Exception) else None
        return cls(
            (*_names(type(exception)), *((code,) if code is not None else ())),
            status_of(exception) if isinstance(exception, Exception) else None,
            _text(exception),
            _wait(exception) if isinstance(exception, Retry) else None,
            isinstance(exception, Bury),
            at,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Failure:
        """Restore a failure from `asdict` and JSON."""
        return cls(**{**data, "types": tuple(data["types"])})

    @property
    def error(self) -> str:
        """`Type: text`, for the dead letter."""
        return (f"{self.type}: {self.text}" if self.text else self.type)[:LONGEST]

    @property
    def type(self) -> str:
        """The type of the exception, for the log."""
        return self.types[0].removeprefix("builtins.") if self.types else "Failure"


@dataclass(frozen=True, slots=True)
class FailureMatcher:
    """The `match` of one failure class, prepared for comparisons."""

    types: frozenset[str]
    """Full names."""
    bare: frozenset[str]
    """Names without a module: they match classes of every module."""
    statuses: frozenset[int]

    @classmethod
    def of(cls, matches: list[str]) -> FailureMatcher:
        """Prepare `match` of a spec."""
        types: set[str] = set()
        bare: set[str] = set()
        statuses: set[int] = set()
        for match in matches:
            known = builtin(match)
            if known is not None:
                types.add(_name(known))
                statuses.update(STATUSES if known in (Exception, BaseException) else ())
            elif is_status(match):
                first, last = match.replace("x", "0"), match.replace("x", "9")
                statuses.update(range(int(first), int(last) + 1))
            else:
                (types if "." in match else bare).add(match)
        return cls(frozenset(types), frozenset(bare), frozenset(statuses))

    def matches(self, failure: Failure) -> bool:
        """Whether the failure belongs to this class."""
        return (
            failure.status in self.statuses
            or not self.types.isdisjoint(failure.types)
            or (bool(self.bare) and any(name.rpartition(".")[2] in self.bare for name in failure.types))
        )


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _names(kind: type[BaseException]) -> Iterator[str]:
    for class_ in kind.__mro__[:-1]:  # not `object`
        yield _name(class_)
        package = str(class_.__module__).rpartition(".")[0]
        while package:
            exported = getattr(sys.modules.get(package), "__dict__", {})  # `getattr` on the module could import things
            if exported.get(class_.__name__) is class_:
                yield f"{package}.{class_.__name__}"
            package = package.rpartition(".")[0]


def _wait(exception: Retry) -> int | None:
    wait = attribute(exception, "wait_ms")
    return wait if type(wait) is int and 0 <= wait <= Duration.LONGEST else None


def _text(exception: BaseException) -> str:
    try:
        text = str(exception)
    except BaseException:  # noqa: BLE001 - as above
        return "(its text cannot be read)"
    return text[:LONGEST].encode("utf-8", "backslashreplace").decode()
