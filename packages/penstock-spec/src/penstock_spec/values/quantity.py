"""The base of quantities: a number with a unit."""

from __future__ import annotations

from functools import total_ordering
from typing import Any, ClassVar, Self

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

LONGEST_TEXT = 60
"""In characters. Arithmetic with thousands of digits takes seconds, or Python refuses it."""

LONGEST_SHOWN = 40


@total_ordering
class Quantity:
    """A number with a unit. It is compared and hashed by its amount, and printed as written."""

    RULE: ClassVar[str]
    PATTERN: ClassVar[str]
    EXAMPLE: ClassVar[str]
    WHAT: ClassVar[str]
    __slots__ = ("amount", "text")

    amount: int
    text: str

    def __init__(self, text: str) -> None:
        """Read a text; raises `ValueError` with a message and a hint."""
        self.amount = self.read(text)
        self.text = text

    @classmethod
    def read(cls, text: str) -> int:
        """The amount in the smallest unit."""
        raise NotImplementedError

    @classmethod
    def of(cls, amount: int) -> Self:
        """The shortest text for an amount."""
        raise NotImplementedError

    @classmethod
    def computed(cls, amount: int, text: str) -> Self:
        """A computed quantity, which may exceed the limits of written ones."""
        one = cls.__new__(cls)
        one.amount, one.text = amount, text
        return one

    def __str__(self) -> str:
        """As written."""
        return self.text

    def __repr__(self) -> str:
        """As in code."""
        return f"{type(self).__name__}({self.text!r})"

    def __eq__(self, other: object) -> bool:
        """Equal by amount: `90s` is `1m30s`."""
        return isinstance(other, type(self)) and self.amount == other.amount

    def __lt__(self, other: Self) -> bool:
        """Less by amount."""
        return self.amount < other.amount

    def __hash__(self) -> int:
        """By amount."""
        return hash(self.amount)

    def __add__(self, other: Self) -> Self:
        """The sum, in the shortest text."""
        return self.of(self.amount + other.amount)

    def __sub__(self, other: Self) -> Self:
        """The difference, never below zero."""
        return self.of(max(0, self.amount - other.amount))

    def __mul__(self, times: float) -> Self:
        """A multiple, rounded down."""
        return self.of(int(self.amount * times))

    @classmethod
    def validate(cls, value: object) -> Self:
        """A quantity from a value of a spec; raises an error with rule, message and hint."""
        if isinstance(value, cls):
            return value
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise PydanticCustomError(
                "wrong-type", "expected {what}", {"what": cls.WHAT, "hint": f"write it like `{cls.EXAMPLE}`"}
            )
        try:
            return cls(_bounded(str(value), cls.WHAT))
        except ValueError as error:
            says, hint = error.args if len(error.args) > 1 else (str(error), f"write it like `{cls.EXAMPLE}`")
            raise PydanticCustomError(cls.RULE, "{says}", {"says": says, "hint": hint}) from None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:  # noqa: ANN401 - pydantic's signature
        """Validate with `validate`, dump as text."""
        return core_schema.no_info_plain_validator_function(
            cls.validate, serialization=core_schema.plain_serializer_function_ser_schema(str)
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The JSON Schema for editors."""
        return {"type": "string", "pattern": f"^({cls.PATTERN})$", "examples": [cls.EXAMPLE]}


def _bounded(text: str, what: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"`{short(text)}` is too long for {what}")
    return text


def short(text: str) -> str:
    """A text, shortened for a message."""
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
