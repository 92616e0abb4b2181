"""Searches the values of a field for the cheapest that meets the target."""

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

POINTS = 9
"""Values of a range in each round of the search."""
MAX_VALUES = 40
"""Maximum number of values."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers, or times as multiples of `unit` milliseconds."""

    low: int
    high: int
    unit: int = 0

    def text(self, number: int) -> str:
        """The value as specs write it."""
        return str(Duration.of(number * self.unit)) if self.unit else str(number)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A field and its values."""

    field: str
    values: tuple[str, ...] | Range


@dataclass(frozen=True, slots=True)
class Candidate(Generic[T]):
    """A value with its result. The cost is None if it misses the target."""

    value: str
    result: T
    cost: tuple[float, float] | None


def read_sweep(text: str) -> Sweep:
    """Parse `FIELD=4..64`, `FIELD=1m..10m` or `FIELD=4,8,16`."""
    field, _, values = text.partition("=")
    if not values.strip(" ,"):
        raise CannotGoOn(f"`--sweep {printable(text)}` has no values", "write `scaling.backlog_per_replica=4..64`")
    if not may_override(KIND, field):
        close = nearest(field, tuple(one for one in known_paths(KIND.model) if may_override(KIND, one)))
        hint = f"did you mean `{close}`?" if close else "name a field such as `scaling.backlog_per_replica`"
        raise CannotGoOn(f"`{printable(field)}` is not a field that can be swept", hint)
    low, dots, high = values.partition("..")
    if dots:
        return Sweep(field, _range(text, low.strip(), high.strip()))
    return Sweep(field, tuple(one.strip() for one in values.split(",") if one.strip()))


def _range(text: str, low: str, high: str) -> Range:
    numbers = [plain(one) if one else None for one in (low, high)]
    first, last = numbers
    if isinstance(first, int) and isinstance(last, int):
        range_ = Range(first, last)
    else:
        try:
            times = Duration.read(low), Duration.read(high)
        except ValueError:
            says = f"`--sweep {printable(text)}` is not a range of whole numbers or times"
            raise CannotGoOn(says, "write `4..64`, `30s..10m`, or a list such as `4,8,16`") from None
        unit = 1000 if all(one % 1000 == 0 for one in times) else 1
        range_ = Range(times[0] // unit, times[1] // unit, unit)
    if not range_.low < range_.high:
        raise CannotGoOn(f"`--sweep {printable(text)}` ends before it starts", f"write `{high}..{low}`")
    return range_


def try_all(values: tuple[str, ...] | Range, evaluate: Callable[[str], Candidate[T]]) -> list[Candidate[T]]:
    """Evaluate the values. A range is searched ever closer around its cheapest value."""
    if not isinstance(values, Range):
        return [evaluate(one) for one in dict.fromkeys(values)]
    tried: dict[int, Candidate[T]] = {}
    points = list(_spread(values.low, values.high))
    while points and len(tried) < MAX_VALUES:
        tried |= {one: evaluate(values.text(one)) for one in points}
        points = [one for one in _around(tried) if one not in tried][: MAX_VALUES - len(tried)]
    return [tried[one] for one in sorted(tried)]


def cheapest(tried: Iterable[Candidate[T]]) -> Candidate[T] | None:
    """The cheapest candidate that meets the target."""
    return min((one for one in tried if one.cost is not None), key=lambda one: one.cost or (), default=None)


def _around(tried: Mapping[int, Candidate[T]]) -> Iterator[int]:
    """Values between the best and its neighbours."""
    best = cheapest(tried.values())
    if best is None:
        return
    numbers = sorted(tried)
    at = next(place for place, one in enumerate(numbers) if tried[one] is best)
    for low, high in zip(numbers[max(at - 1, 0) : at + 1], numbers[max(at, 1) : at + 2], strict=False):
        yield from _spread(low, high)


def _spread(low: int, high: int) -> Iterator[int]:
    """Values that are denser where numbers are small."""
    if high - low < POINTS:
        yield from range(low, high + 1)
        return
    shift = 1 - min(low, 0) if low < 1 else 0
    factor = ((high + shift) / (low + shift)) ** (1 / (POINTS - 1))
    before = low - 1
    for number in range(POINTS):
        after = min(max(round((low + shift) * factor**number) - shift, before + 1), high)
        yield after
        before = after
