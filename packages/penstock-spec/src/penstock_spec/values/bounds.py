"""Minimums of quantities. To some tools a time of zero means "forever", to others "never"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

from penstock_spec.values.quantities import Cpu, Duration, Size
from penstock_spec.values.quantity import Quantity


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The minimum of a field with a quantity: `Annotated[Duration, about(...), MIN_1MS]`."""

    least: Quantity

    @property
    def above_zero(self) -> bool:
        """Whether it refuses only zero."""
        return self.least.amount == 1

    def check(self, value: Quantity | None) -> Quantity | None:
        """Refuse a value below the minimum; null is accepted."""
        if value is None or value.amount >= self.least.amount:
            return value
        context: dict[str, str] = {"says": f"`{value}` is below the minimum, `{self.least}`"}
        if self.above_zero:
            context["says"] = f"`{value}` is out of bounds: it must be above 0"
        elif (
            value.text.isdecimal() and self.least.amount <= value.amount * Size.UNITS["Mi"] <= MOST_WITHOUT_UNIT.amount
        ):
            context = {"says": f"`{value}` is in bytes; the minimum is `{self.least}`", "hint": f"write `{value}Mi`"}
        raise PydanticCustomError("out-of-range", "{says}", context)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:  # noqa: ANN401 - pydantic's signature
        """Check the quantity after it is read."""
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __str__(self) -> str:
        """The suffix to the name of a type."""
        return " above 0" if self.above_zero else f", at least {self.least}"


MIN_1MS = AtLeast(Duration("1ms"))
MIN_1S = AtLeast(Duration("1s"))
"""For due times, which are whole seconds, and for periodic work."""
MIN_1MCPU = AtLeast(Cpu("1m"))
MIN_1BYTE = AtLeast(Size("1"))
MIN_16MI = AtLeast(Size("16Mi"))
"""No Python process starts with less."""

MOST_WITHOUT_UNIT = Size("1Ti")
"""A number of bytes gets the suggestion `Mi` only up to this size."""
