"""Durations, sizes, CPU quantities and versions, written as in Kubernetes."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, ClassVar

from pydantic import GetJsonSchemaHandler
from pydantic_core import core_schema

from penstock_spec.values.quantity import Quantity, short


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
                raise ValueError(f"`{short(text)}` is longer than ten years", f"write at most `{cls.of(cls.LONGEST)}`")
            return amount
        if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text, re.ASCII):
            raise ValueError(*_suggest(short(text), "s"))
        one = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)", text, re.ASCII)
        if one and (unit := cls.NEAR.get(one[2], one[2])) in cls.UNITS:
            milliseconds = int(Decimal(one[1]) * cls.UNITS[unit])
            same = f"{one[1]}{unit}"
            better = same if re.fullmatch(cls.PATTERN, same, re.ASCII) else cls.of(milliseconds)
            raise ValueError(f"`{short(text)}` is not a duration", f"write `{better}`")
        raise ValueError(
            f"`{short(text)}` is not a duration",
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
        return cls.computed(amount, text or "0s")

    @property
    def seconds(self) -> float:
        """The duration in seconds."""
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
        if match:
            return int(Decimal(match[1]) * cls.UNITS[match[2]])
        one = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)", text, re.ASCII)
        if one and one[2] == "m":
            says = f"`{short(text)}` means thousandths of a byte in Kubernetes"
            raise ValueError(says, f"write `{one[1]}Mi`")
        if one and one[2] in cls.NEAR:
            raise ValueError(f"`{short(text)}` is not a size", f"write `{one[1]}{cls.NEAR[one[2]]}`")
        raise ValueError(f"`{short(text)}` is not a size", "write a number with `Ki`, `Mi` or `Gi`, such as `256Mi`")

    @classmethod
    def of(cls, amount: int) -> Size:
        """The shortest exact text in binary units."""
        for unit in ("Ti", "Gi", "Mi", "Ki"):
            if amount and amount % cls.UNITS[unit] == 0:
                return cls.computed(amount, f"{amount // cls.UNITS[unit]}{unit}")
        return cls.computed(amount, str(amount))

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """A plain number is bytes."""
        return {"type": ["string", "number"], "pattern": f"^{cls.PATTERN}$", "minimum": 0, "examples": [cls.EXAMPLE]}


class Cpu(Quantity):
    """A CPU quantity in millicores: `250m`, `0.5`, `2`."""

    RULE = "bad-cpu"
    PATTERN = r"[0-9]+(\.[0-9]{1,3})?|[0-9]+m"
    EXAMPLE = "250m"
    WHAT = "a CPU quantity"
    __slots__ = ()

    @classmethod
    def read(cls, text: str) -> int:
        """Millicores."""
        if re.fullmatch(cls.PATTERN, text, re.ASCII):
            return int(text[:-1]) if text.endswith("m") else int(Decimal(text) * 1000)
        raise ValueError(
            f"`{short(text)}` is not a CPU quantity", "write millicores such as `250m`, or CPUs such as `0.5` or `2`"
        )

    @classmethod
    def of(cls, amount: int) -> Cpu:
        """Whole CPUs, or millicores."""
        return cls(str(amount // 1000) if amount % 1000 == 0 else f"{amount}m")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """A plain number is whole CPUs or a fraction."""
        return {"type": ["string", "number"], "pattern": f"^({cls.PATTERN})$", "minimum": 0, "examples": [cls.EXAMPLE]}


class Version(Quantity):
    """A version of a tool by its first two numbers, such as `1.36`, with or without quotes."""

    RULE = "bad-version"
    PATTERN = r"[0-9]+\.[0-9]+(\.[0-9]+)?"
    EXAMPLE = "1.36"
    WHAT = "a version"
    __slots__ = ()

    @classmethod
    def read(cls, text: str) -> int:
        """A number for comparison: 1.36 is greater than 1.9."""
        if not re.fullmatch(cls.PATTERN, text, re.ASCII):
            raise ValueError(f"`{short(text)}` is not a version", "write two or three numbers, such as `1.36`")
        major, minor, *patch = (int(part) for part in text.split("."))
        return (major * 10**6 + minor) * 10**6 + (patch[0] if patch else 0)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """A plain `1.36` is a number in JSON."""
        return {"type": ["string", "number"], "pattern": f"^{cls.PATTERN}$", "examples": [cls.EXAMPLE]}
