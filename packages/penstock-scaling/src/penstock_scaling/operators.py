"""The operators and functions of formulas, as in `expr`."""

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
    """A formula that cannot be parsed, or that fails with these readings."""


def number(value: Value) -> float | int:
    """A number; booleans and nil are not numbers in `expr`."""
    if value is None or isinstance(value, bool):
        raise FormulaError(f"`{'nil' if value is None else str(value).lower()}` is not a number")
    return value


def truth(value: Value) -> bool:
    """A boolean; numbers are not."""
    if not isinstance(value, bool):
        raise FormulaError(f"`{'nil' if value is None else f'{value:g}'}` is neither true nor false")
    return value


@dataclass(frozen=True, slots=True)
class Operator:
    """A binary operator."""

    precedence: int
    node: Callable[[Node, Node], Node]
    from_right: bool = False


def _counting(count: Callable[[float, float], float | int | bool]) -> Callable[[Node, Node], Node]:
    def node(left: Node, right: Node) -> Node:
        return lambda readings: count(number(left(readings)), number(right(readings)))

    return node


def _same(left: Node, right: Node) -> Node:
    return lambda readings: _equal(left(readings), right(readings))


def _other(left: Node, right: Node) -> Node:
    return lambda readings: not _equal(left(readings), right(readings))


def _equal(left: Value, right: Value) -> bool:
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def _and(left: Node, right: Node) -> Node:
    return lambda readings: truth(left(readings)) and truth(right(readings))


def _or(left: Node, right: Node) -> Node:
    return lambda readings: truth(left(readings)) or truth(right(readings))


def _else(left: Node, right: Node) -> Node:
    def node(readings: Environment) -> Value:
        value = left(readings)
        return right(readings) if value is None else value

    return node


def _divided(left: float, right: float) -> float:
    """Float division: division by zero gives infinity or NaN."""
    if right:
        return left / right
    return math.nan if not left or math.isnan(left) else math.copysign(math.inf, left)


def _rest(left: float, right: float) -> int:
    if not isinstance(left, int) or not isinstance(right, int):
        raise FormulaError("`%` needs whole numbers, and triggers are floats")
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
    return lambda readings: not truth(operand(readings))


UNARY: Mapping[str, Callable[[Node], Node]] = {
    "not": _not,
    "!": _not,
    "-": lambda operand: lambda readings: -number(operand(readings)),
    "+": lambda operand: lambda readings: number(operand(readings)),
}


def _of_one(call: Callable[[float], float]) -> Callable[[Sequence[Node]], Node]:
    def node(arguments: Sequence[Node]) -> Node:
        if len(arguments) != 1:
            raise FormulaError("the function takes one number")
        return lambda readings: call(number(arguments[0](readings)))

    return node


def _of_all(call: Callable[[list[float]], float]) -> Callable[[Sequence[Node]], Node]:
    return lambda arguments: lambda readings: call([number(one(readings)) for one in arguments])


def _kept(call: Callable[[float], float]) -> Callable[[float], float]:
    """Leave infinity and NaN unrounded."""
    return lambda value: call(value) if math.isfinite(value) else value


def _whole(value: float) -> int:
    if not math.isfinite(value):
        raise FormulaError("infinity or NaN cannot become a whole number")
    return int(value)


def _rounded(value: float) -> float:
    """Round half away from zero, unlike Python."""
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
