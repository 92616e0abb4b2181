"""KEDA's formulas: the part of the language `expr` that covers arithmetic over triggers.

    choice     ? :   right after everything else
    or ||      10
    and &&     15
    == != < <= > >=  20
    + -        30
    not !      50    (before its operand)
    * / %      60
    + -        90    (before their operand)
    ** ^       100   (from the right)
    ??         500   (no other operator may follow without brackets)
    numbers, names, true, false, nil, brackets, calls

A name is a float, as KEDA passes it, or nil. Nil fails with every operator but `??`, `==` and `!=`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from penstock_scaling.operators import BINARY, CALLS, UNARY, Environment, FormulaError, Node, Value, number, truth

LONGEST, DEEPEST = 2000, 50
CHOICE, PREFIX_NOT, PREFIX_SIGN = 0, 50, 90

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d[\d_]*)?\.\d+(?:[eE][+-]?\d+)?|\d[\d_]*\.?(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>\?\?|\*\*|&&|\|\||[=!<>]=|[-+*/%^<>!?:(),]))",
    re.ASCII,
)
WORDS: Mapping[str, Value] = {"true": True, "false": False, "nil": None}


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula; equal to another with the same text."""

    text: str
    names: frozenset[str]
    run: Node = field(compare=False, repr=False)

    def value(self, readings: Environment) -> float | None:
        """The result or nil, or an error as in KEDA."""
        try:
            result = self.run(readings)
            return None if result is None else float(number(result))
        except OverflowError as error:
            raise FormulaError("the numbers are too large") from error


@lru_cache(64)
def parsed(text: str) -> Formula:
    """Parse a formula. Raises FormulaError with the place of the problem."""
    if len(text) > LONGEST:
        raise FormulaError(f"it is longer than {LONGEST} characters")
    reader = _Reader(_tokens(text))
    node = reader.expression(0)
    if reader.ahead:
        raise reader.unexpected()
    return Formula(text, frozenset(reader.names), node)


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise FormulaError(f"`{text[at:].lstrip()[:20]}` is not valid")
        tokens.append(match.group().strip())
        at = match.end()
    return tokens


class _Reader:
    """A precedence-climbing parser."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at, self.depth = tokens, 0, 0
        self.names: set[str] = set()

    @property
    def ahead(self) -> str:
        """The next token; empty at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def unexpected(self) -> FormulaError:
        return FormulaError(f"`{self.ahead[:20]}` is not expected there" if self.ahead else "it ends too early")

    def take(self, *wanted: str) -> str:
        """Consume the next token, which must be one of these."""
        token = self.ahead
        if not token or (wanted and token not in wanted):
            raise self.unexpected()
        self.at += 1
        return token

    def expression(self, least: int) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise FormulaError(f"it is nested deeper than {DEEPEST}")
        left, before = self.primary(), ""
        while (operator := BINARY.get(self.ahead)) and operator.precedence >= least:
            if before == "??" and self.ahead != "??":
                raise FormulaError(f"`??` and `{self.ahead}` need brackets")
            before = self.take()
            right = self.expression(operator.precedence + (not operator.from_right))
            left = operator.node(left, right)
        if least == CHOICE:
            left = self.choice(left)
        self.depth -= 1
        return left

    def choice(self, condition: Node) -> Node:
        while self.ahead == "?":
            self.take()
            yes = self.expression(0)
            self.take(":")
            condition = _choose(condition, yes, self.expression(0))
        return condition

    def primary(self) -> Node:
        if self.ahead in UNARY:
            sign = self.take()
            operand = self.expression(PREFIX_SIGN if sign in "+-" else PREFIX_NOT)
            return UNARY[sign](operand)
        first = self.take()
        if first == "(":
            inside = self.expression(0)
            self.take(")")
            return inside
        if first[0].isdigit() or first[0] == ".":
            return _constant(_number(first))
        if first in WORDS:
            return _constant(WORDS[first])
        if not (first[0].isalpha() or first[0] == "_") or first in BINARY:
            self.at -= 1
            raise self.unexpected()
        return self.call(first) if self.ahead == "(" else self.name(first)

    def name(self, name: str) -> Node:
        self.names.add(name)

        def read(around: Environment) -> Value:
            try:
                return around[name]
            except KeyError as error:
                raise FormulaError(f"there is no trigger `{name}`") from error

        return read

    def call(self, name: str) -> Node:
        if name not in CALLS:
            raise FormulaError(f"the function `{name}` is not supported")
        self.take("(")
        arguments = [self.expression(0)]
        while self.take(",", ")") == ",":
            arguments.append(self.expression(0))
        return CALLS[name](arguments)


def _number(text: str) -> int | float:
    text = text.replace("_", "")
    return float(text) if re.search(r"[.eE]", text) else int(text)


def _constant(value: Value) -> Node:
    return lambda _: value


def _choose(condition: Node, yes: Node, no: Node) -> Node:
    return lambda around: (yes if truth(condition(around)) else no)(around)
