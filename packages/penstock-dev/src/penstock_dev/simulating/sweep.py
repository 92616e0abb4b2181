"""Many values for one field, and the cheapest that does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from penstock_spec.fields import known_paths, nearest
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline import KIND
from penstock_spec.layers import may_override
from penstock_spec.reading.scalars import plain
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import printable

AT_ONCE = 9
"""Values of a range that are tried before the neighbourhood of the best is looked at more closely."""
MOST = 40
"""Values that are tried at the most."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers, or times as whole numbers of `unit` milliseconds."""

    low: int
    high: int
    unit: int = 0

    def text(self, number: int) -> str:
        """As a spec has it."""
        return str(Duration.of(number * self.unit)) if self.unit else str(number)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A field and what it may be."""

    field: str
    values: tuple[str, ...] | Range


@dataclass(frozen=True, slots=True)
class Candidate(Generic[T]):
    """What came of a value; it has no cost where it does not do."""

    value: str
    result: T
    cost: tuple[float, float] | None


def read_sweep(said: str) -> Sweep:
    """From `FIELD=4..64`, `FIELD=1m..10m` or `FIELD=4,8,16`."""
    field, _, values = said.partition("=")
    if not values.strip(" ,"):
        raise CannotGoOn(f"`--sweep {printable(said)}` has no values", "write `scaling.backlog_per_replica=4..64`")
    if not may_override(KIND, field):
        close = nearest(field, tuple(one for one in known_paths(KIND.model) if may_override(KIND, one)))
        hint = f"did you mean `{close}`?" if close else "name one such as `scaling.backlog_per_replica`"
        raise CannotGoOn(f"`{printable(field)}` is no field that may have several values", hint)
    low, dots, high = values.partition("..")
    if dots:
        return Sweep(field, _range(said, low.strip(), high.strip()))
    return Sweep(field, tuple(one.strip() for one in values.split(",") if one.strip()))


def _range(said: str, low: str, high: str) -> Range:
    numbers = [plain(one) if one else None for one in (low, high)]
    first, last = numbers
    if isinstance(first, int) and isinstance(last, int):
        found = Range(first, last)
    else:
        try:
            times = Duration.read(low), Duration.read(high)
        except ValueError:
            says = f"`--sweep {printable(said)}` is no range of whole numbers or times"
            raise CannotGoOn(says, "write `4..64`, `30s..10m`, or a list such as `4,8,16`") from None
        unit = 1000 if all(one % 1000 == 0 for one in times) else 1
        found = Range(times[0] // unit, times[1] // unit, unit)
    if not found.low < found.high:
        raise CannotGoOn(f"`--sweep {printable(said)}` ends before it has begun", f"write `{high}..{low}`")
    return found


def try_all(values: tuple[str, ...] | Range, look: Callable[[str], Candidate[T]]) -> list[Candidate[T]]:
    """What came of each. In a range, ever closer around the cheapest that does, until its neighbours are tried."""
    if not isinstance(values, Range):
        return [look(one) for one in dict.fromkeys(values)]
    tried: dict[int, Candidate[T]] = {}
    points = list(_spread(values.low, values.high))
    while points and len(tried) < MOST:
        tried |= {one: look(values.text(one)) for one in points}
        points = [one for one in _around(tried) if one not in tried][: MOST - len(tried)]
    return [tried[one] for one in sorted(tried)]


def cheapest(tried: Iterable[Candidate[T]]) -> Candidate[T] | None:
    """Of those that do."""
    return min((one for one in tried if one.cost is not None), key=lambda one: one.cost or (), default=None)


def _around(tried: Mapping[int, Candidate[T]]) -> Iterator[int]:
    """Between the best and its neighbours."""
    best = cheapest(tried.values())
    if best is None:
        return
    numbers = sorted(tried)
    at = next(place for place, one in enumerate(numbers) if tried[one] is best)
    for low, high in zip(numbers[max(at - 1, 0) : at + 1], numbers[max(at, 1) : at + 2], strict=False):
        yield from _spread(low, high)


def _spread(low: int, high: int) -> Iterator[int]:
    """Closer where numbers are small: from 4 to 5 is more than from 60 to 61."""
    if high - low < AT_ONCE:
        yield from range(low, high + 1)
        return
    shift = 1 - min(low, 0) if low < 1 else 0
    factor = ((high + shift) / (low + shift)) ** (1 / (AT_ONCE - 1))
    before = low - 1
    for number in range(AT_ONCE):
        after = min(max(round((low + shift) * factor**number) - shift, before + 1), high)
        yield after
        before = after
