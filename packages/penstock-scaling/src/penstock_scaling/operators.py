"""What the operators and functions of a formula do with their values, as `expr` does it."""

from __future__ import annotations

import math
import operator
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Value = float | int | bool | None
Environment = Mapping[str, float | None]
Node = Callable[[Environment], Value]


class FormulaError(Exception):
    """A formula that cannot be read, or that fails over these readings."""


def number(value: Value) -> float | int:
    """A number; `expr` does not count with truths, and not with nil."""
    if value is None or isinstance(value, bool):
        raise FormulaError(f"`{'nil' if value is None else str(value).lower()}` is not a number")
    return value


def truth(value: Value) -> bool:
    """A truth; numbers are none."""
    if not isinstance(value, bool):
        raise FormulaError(f"`{'nil' if value is None else f'{value:g}'}` is neither true nor false")
    return value


@dataclass(frozen=True, slots=True)
class Operator:
    """One that stands between two values."""

    precedence: int
    node: Callable[[Node, Node], Node]
    from_right: bool = False


def _counting(count: Callable[[float, float], float | int | bool]) -> Callable[[Node, Node], Node]:
    def node(left: Node, right: Node) -> Node:
        return lambda around: count(number(left(around)), number(right(around)))

    return node


def _same(left: Node, right: Node) -> Node:
    return lambda around: _equal(left(around), right(around))


def _other(left: Node, right: Node) -> Node:
    return lambda around: not _equal(left(around), right(around))


def _equal(left: Value, right: Value) -> bool:
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def _and(left: Node, right: Node) -> Node:
    return lambda around: truth(left(around)) and truth(right(around))


def _or(left: Node, right: Node) -> Node:
    return lambda around: truth(left(around)) or truth(right(around))


def _else(left: Node, right: Node) -> Node:
    def node(around: Environment) -> Value:
        value = left(around)
        return right(around) if value is None else value

    return node


def _divided(left: float, right: float) -> float:
    """Without an error at zero: a quotient has a fraction, and those know infinity."""
    if right:
        return left / right
    return math.nan if not left or math.isnan(left) else math.copysign(math.inf, left)


def _rest(left: float, right: float) -> int:
    if not isinstance(left, int) or not isinstance(right, int):
        raise FormulaError("`%` is only for whole numbers, and triggers read numbers with a fraction")
    if not right:
        raise FormulaError("`%` by zero")
    return int(math.fmod(left, right))


def _power(left: float, right: float) -> float:
    try:
        return math.pow(left, right)
    except ValueError:
        return math.nan


BINARY: Mapping[str, Operator] = {
    "or": Operator(10, _or),
    "||": Operator(10, _or),
    "and": Operator(15, _and),
    "&&": Operator(15, _and),
    "==": Operator(20, _same),
    "!=": Operator(20, _other),
    "<": Operator(20, _counting(operator.lt)),
    "<=": Operator(20, _counting(operator.le)),
    ">": Operator(20, _counting(operator.gt)),
    ">=": Operator(20, _counting(operator.ge)),
    "+": Operator(30, _counting(operator.add)),
    "-": Operator(30, _counting(operator.sub)),
    "*": Operator(60, _counting(operator.mul)),
    "/": Operator(60, _counting(_divided)),
    "%": Operator(60, _counting(_rest)),
    "**": Operator(100, _counting(_power), from_right=True),
    "^": Operator(100, _counting(_power), from_right=True),
    "??": Operator(500, _else),
}


def _not(operand: Node) -> Node:
    return lambda around: not truth(operand(around))


UNARY: Mapping[str, Callable[[Node], Node]] = {
    "not": _not,
    "!": _not,
    "-": lambda operand: lambda around: -number(operand(around)),
    "+": lambda operand: lambda around: number(operand(around)),
}


def _of_one(call: Callable[[float], float]) -> Callable[[Sequence[Node]], Node]:
    def node(handed: Sequence[Node]) -> Node:
        if len(handed) != 1:
            raise FormulaError("that function takes one number")
        return lambda around: call(number(handed[0](around)))

    return node


def _of_all(call: Callable[[list[float]], float]) -> Callable[[Sequence[Node]], Node]:
    return lambda handed: lambda around: call([number(one(around)) for one in handed])


def _kept(call: Callable[[float], float]) -> Callable[[float], float]:
    """Rounding leaves alone what has no end."""
    return lambda value: call(value) if math.isfinite(value) else value


def _whole(value: float) -> int:
    if not math.isfinite(value):
        raise FormulaError("a number without end cannot be made whole")
    return int(value)


def _rounded(value: float) -> float:
    """Halves away from zero, unlike Python's."""
    return math.copysign(math.floor(abs(value) + 0.5), value)


CALLS: Mapping[str, Callable[[Sequence[Node]], Node]] = {
    "abs": _of_one(abs),
    "ceil": _of_one(_kept(lambda value: float(math.ceil(value)))),
    "floor": _of_one(_kept(lambda value: float(math.floor(value)))),
    "round": _of_one(_kept(_rounded)),
    "int": _of_one(_whole),
    "float": _of_one(float),
    "max": _of_all(max),
    "min": _of_all(min),
    "sum": _of_all(sum),
    "mean": _of_all(statistics.fmean),
    "median": _of_all(statistics.median),
}
