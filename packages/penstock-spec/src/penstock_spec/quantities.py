"""Durations, sizes and shares of a CPU, written the way Kubernetes people write them and kept exactly as written."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import total_ordering
from typing import Any, ClassVar, Self

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

from penstock_spec.reading.scalars import plain

LONGEST_TEXT = 60
"""Characters. Arithmetic with thousands of digits takes seconds, or is refused by Python."""


@total_ordering
class Quantity:
    """A number with a unit. It compares and hashes by its amount, and is shown as it was written."""

    RULE: ClassVar[str]
    PATTERN: ClassVar[str]
    EXAMPLE: ClassVar[str]
    WHAT: ClassVar[str]
    __slots__ = ("amount", "text")

    amount: int
    text: str

    def __init__(self, text: str) -> None:
        """Read a text; raises `ValueError` with the way to write it."""
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
    def made(cls, amount: int, text: str) -> Self:
        """What was computed. It may be more than anyone may write: the sum of two long times is still a time."""
        one = cls.__new__(cls)
        one.amount, one.text = amount, text
        return one

    def __str__(self) -> str:
        """As written."""
        return self.text

    def __repr__(self) -> str:
        """As one would write it in code."""
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
        """From what stands in a spec; refuses with the rule and the way out."""
        if isinstance(value, cls):
            return value
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise PydanticCustomError(
                "wrong-type", "expected {what}", {"what": cls.WHAT, "hint": f"write it such as `{cls.EXAMPLE}`"}
            )
        try:
            return cls(_bounded(str(value), cls.WHAT))
        except ValueError as error:
            says, hint = error.args if len(error.args) > 1 else (str(error), f"write it such as `{cls.EXAMPLE}`")
            raise PydanticCustomError(cls.RULE, "{says}", {"says": says, "hint": hint}) from None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:  # noqa: ANN401
        """Validated by `validate`, dumped as text."""
        return core_schema.no_info_plain_validator_function(
            cls.validate, serialization=core_schema.plain_serializer_function_ser_schema(str)
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """For editors."""
        return {"type": "string", "pattern": f"^({cls.PATTERN})$", "examples": [cls.EXAMPLE]}


def _suggest(number: str, unit: str) -> tuple[str, str]:
    return f"`{number}` has no unit", f"write `{number}{unit}`"


class Duration(Quantity):
    """A time span in milliseconds: `500ms`, `30s`, `1h30m`, `7d`."""

    RULE = "bad-duration"
    PATTERN = r"([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+(\.[0-9]{1,3})?s)?([0-9]+ms)?"
    EXAMPLE = "30s"
    WHAT = "a duration"
    __slots__ = ()

    UNITS: ClassVar[dict[str, int]] = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
    NEAR: ClassVar[dict[str, str]] = {
        "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
        "hour": "h", "hours": "h", "hr": "h", "hrs": "h", "day": "d", "days": "d", "msec": "ms", "millis": "ms",
        "S": "s", "M": "m", "H": "h", "D": "d", "MS": "ms",
    }  # fmt: skip
    LONGEST: ClassVar[int] = 10 * 365 * 86_400_000

    @classmethod
    def read(cls, text: str) -> int:
        """Milliseconds."""
        if text and re.fullmatch(cls.PATTERN, text, re.ASCII):
            parts = re.findall(r"([0-9.]+)(ms|[dhms])", text)
            amount = sum(int(Decimal(number) * cls.UNITS[unit]) for number, unit in parts)
            if amount > cls.LONGEST:
                raise ValueError(f"`{_short(text)}` is longer than ten years", f"write at most `{cls.of(cls.LONGEST)}`")
            return amount
        if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text, re.ASCII):
            raise ValueError(*_suggest(_short(text), "s"))
        one = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)", text, re.ASCII)
        if one and (unit := cls.NEAR.get(one[2], one[2])) in cls.UNITS:
            milliseconds = int(Decimal(one[1]) * cls.UNITS[unit])
            raise ValueError(f"`{_short(text)}` is not a duration", f"write `{cls.of(milliseconds)}`")
        raise ValueError(
            f"`{_short(text)}` is not a duration",
            "write whole numbers with the units `d`, `h`, `m`, `s` and `ms`, largest first, such as `1h30m`",
        )

    @classmethod
    def of(cls, amount: int) -> Duration:
        """The shortest text: `90000` is `1m30s`."""
        text, rest = "", amount
        for unit, size in cls.UNITS.items():
            if rest >= size:
                text += f"{rest // size}{unit}"
                rest %= size
        return cls.made(amount, text or "0s")

    @property
    def seconds(self) -> float:
        """For clocks and Kubernetes."""
        return self.amount / 1000


class Size(Quantity):
    """An amount of memory in bytes: `256Ki`, `1Gi`, `500M`."""

    RULE = "bad-size"
    PATTERN = r"[0-9]+(\.[0-9]+)?(Ki|Mi|Gi|Ti|k|M|G|T)?"
    EXAMPLE = "256Mi"
    WHAT = "a size"
    __slots__ = ()

    UNITS: ClassVar[dict[str, int]] = {
        "Ti": 2**40, "Gi": 2**30, "Mi": 2**20, "Ki": 2**10, "T": 10**12, "G": 10**9, "M": 10**6, "k": 1000, "": 1,
    }  # fmt: skip
    NEAR: ClassVar[dict[str, str]] = {
        "KB": "Ki", "kB": "Ki", "K": "Ki", "kb": "Ki", "KiB": "Ki", "ki": "Ki", "MB": "Mi", "mb": "Mi", "MiB": "Mi",
        "mi": "Mi", "m": "Mi", "GB": "Gi", "gb": "Gi", "g": "Gi", "GiB": "Gi", "gi": "Gi", "TB": "Ti", "TiB": "Ti",
    }  # fmt: skip

    @classmethod
    def read(cls, text: str) -> int:
        """Bytes."""
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(Ki|Mi|Gi|Ti|k|M|G|T|)", text, re.ASCII)
        if match and len(text) < 25:
            return int(Decimal(match[1]) * cls.UNITS[match[2]])
        one = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)", text, re.ASCII)
        if one and one[2] == "m":
            says = f"`{_short(text)}` is in thousandths of a byte to Kubernetes"
            raise ValueError(says, f"write `{one[1]}Mi`")
        if one and one[2] in cls.NEAR:
            raise ValueError(f"`{_short(text)}` is not a size", f"write `{one[1]}{cls.NEAR[one[2]]}`")
        raise ValueError(f"`{_short(text)}` is not a size", "write a number with `Ki`, `Mi` or `Gi`, such as `256Mi`")

    @classmethod
    def of(cls, amount: int) -> Size:
        """The shortest exact text in binary units."""
        for unit in ("Ti", "Gi", "Mi", "Ki"):
            if amount and amount % cls.UNITS[unit] == 0:
                return cls.made(amount, f"{amount // cls.UNITS[unit]}{unit}")
        return cls.made(amount, str(amount))

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """A plain number is bytes."""
        return {"type": ["string", "number"], "pattern": f"^{cls.PATTERN}$", "minimum": 0, "examples": [cls.EXAMPLE]}


class Cpu(Quantity):
    """A share of processors in thousandths: `250m`, `0.5`, `2`."""

    RULE = "bad-cpu"
    PATTERN = r"[0-9]+(\.[0-9]{1,3})?|[0-9]+m"
    EXAMPLE = "250m"
    WHAT = "a share of CPUs"
    __slots__ = ()

    @classmethod
    def read(cls, text: str) -> int:
        """Thousandths of a CPU."""
        if re.fullmatch(cls.PATTERN, text, re.ASCII) and len(text) < 12:
            return int(text[:-1]) if text.endswith("m") else int(Decimal(text) * 1000)
        raise ValueError(
            f"`{_short(text)}` is not a share of CPUs", "write thousandths such as `250m`, or `0.5`, or `2`"
        )

    @classmethod
    def of(cls, amount: int) -> Cpu:
        """Whole CPUs, or thousandths."""
        return cls(str(amount // 1000) if amount % 1000 == 0 else f"{amount}m")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """A plain number is whole CPUs or a fraction."""
        return {"type": ["string", "number"], "pattern": f"^({cls.PATTERN})$", "minimum": 0, "examples": [cls.EXAMPLE]}


class Version(Quantity):
    """A version of a tool by its first two numbers, such as `1.36`. Written without quotes it is kept as well."""

    RULE = "bad-version"
    PATTERN = r"[0-9]+\.[0-9]+(\.[0-9]+)?"
    EXAMPLE = "1.36"
    WHAT = "a version"
    __slots__ = ()

    @classmethod
    def read(cls, text: str) -> int:
        """Something that orders: 1.36 is beyond 1.9."""
        if not re.fullmatch(cls.PATTERN, text, re.ASCII) or len(text) > 20:
            raise ValueError(f"`{_short(text)}` is not a version", "write two or three numbers, such as `1.36`")
        major, minor, *patch = (int(part) for part in text.split("."))
        return (major * 10**6 + minor) * 10**6 + (patch[0] if patch else 0)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """A plain `1.36` is a number to JSON."""
        return {"type": ["string", "number"], "pattern": f"^{cls.PATTERN}$", "examples": [cls.EXAMPLE]}


def number(value: object) -> int | float:
    """A whole number or a fraction, kept as written."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        quoted = isinstance(value, str) and isinstance(plain(value), (int, float))
        raise PydanticCustomError(
            "wrong-type", "expected a number", {"hint": f"write `{value}`, without quotes"} if quoted else {}
        )
    if not (-1e300 < value < 1e300):
        raise PydanticCustomError("out-of-range", "it is not a finite number")
    return value


def _bounded(text: str, what: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"`{_short(text)}` is too long for {what}")
    return text


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
