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


def _numeric(count: Callable[[float, float], float | int | bool]) -> Callable[[Node, Node], Node]:
    def node(left: Node, right: Node) -> Node:
        return lambda readings: count(number(left(readings)), number(right(readings)))

    return node


def _equal_to(left: Node, right: Node) -> Node:
    return lambda readings: _equal(left(readings), right(readings))


def _different(left: Node, right: Node) -> Node:
    return lambda readings: not _equal(left(readings), right(readings))


def _equal(left: Value, right: Value) -> bool:
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def _and(left: Node, right: Node) -> Node:
    return lambda readings: truth(left(readings)) and truth(right(readings))


def _or(left: Node, right: Node) -> Node:
    return lambda readings: truth(left(readings)) or truth(right(readings))


def _coalesce(left: Node, right: Node) -> Node:
    def node(readings: Environment) -> Value:
        value = left(readings)
        return right(readings) if value is None else value

    return node


def _divide(left: float, right: float) -> float:
    """Float division: division by zero gives infinity or NaN."""
    if right:
        return left / right
    return math.nan if not left or math.isnan(left) else math.copysign(math.inf, left)


def _remainder(left: float, right: float) -> int:
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
    "==": Operator(20, _equal_to),
    "!=": Operator(20, _different),
    "<": Operator(20, _numeric(operator.lt)),
    "<=": Operator(20, _numeric(operator.le)),
    ">": Operator(20, _numeric(operator.gt)),
    ">=": Operator(20, _numeric(operator.ge)),
    "+": Operator(30, _numeric(operator.add)),
    "-": Operator(30, _numeric(operator.sub)),
    "*": Operator(60, _numeric(operator.mul)),
    "/": Operator(60, _numeric(_divide)),
    "%": Operator(60, _numeric(_remainder)),
    "**": Operator(100, _numeric(_power), from_right=True),
    "^": Operator(100, _numeric(_power), from_right=True),
    "??": Operator(500, _coalesce),
}


def _not(operand: Node) -> Node:
    return lambda readings: not truth(operand(readings))


UNARY: Mapping[str, Callable[[Node], Node]] = {
    "not": _not,
    "!": _not,
    "-": lambda operand: lambda readings: -number(operand(readings)),
    "+": lambda operand: lambda readings: number(operand(readings)),
}


def _unary_call(call: Callable[[float], float]) -> Callable[[Sequence[Node]], Node]:
    def node(arguments: Sequence[Node]) -> Node:
        if len(arguments) != 1:
            raise FormulaError("the function takes one number")
        return lambda readings: call(number(arguments[0](readings)))

    return node


def _variadic_call(call: Callable[[list[float]], float]) -> Callable[[Sequence[Node]], Node]:
    return lambda arguments: lambda readings: call([number(one(readings)) for one in arguments])


def _if_finite(call: Callable[[float], float]) -> Callable[[float], float]:
    """Leave infinity and NaN unrounded."""
    return lambda value: call(value) if math.isfinite(value) else value


def _to_int(value: float) -> int:
    if not math.isfinite(value):
        raise FormulaError("infinity or NaN cannot become a whole number")
    return int(value)


def _round(value: float) -> float:
    """Round half away from zero, unlike Python."""
    return math.copysign(math.floor(abs(value) + 0.5), value)


CALLS: Mapping[str, Callable[[Sequence[Node]], Node]] = {
    "abs": _unary_call(abs),
    "ceil": _unary_call(_if_finite(lambda value: float(math.ceil(value)))),
    "floor": _unary_call(_if_finite(lambda value: float(math.floor(value)))),
    "round": _unary_call(_if_finite(_round)),
    "int": _unary_call(_to_int),
    "float": _unary_call(float),
    "max": _variadic_call(max),
    "min": _variadic_call(min),
    "sum": _variadic_call(sum),
    "mean": _variadic_call(statistics.fmean),
    "median": _variadic_call(statistics.median),
}
