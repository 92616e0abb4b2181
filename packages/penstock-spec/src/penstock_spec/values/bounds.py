"""The least that a quantity may be. A time of zero means "for ever" to one tool and "never" to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

from penstock_spec.values.quantities import Cpu, Duration, Size
from penstock_spec.values.quantity import Quantity


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The bound of a field that holds a quantity: `Annotated[Duration, about(...), SOME_TIME]`."""

    least: Quantity

    @property
    def above_zero(self) -> bool:
        """Whether only nothing is refused."""
        return self.least.amount == 1

    def check(self, value: Quantity | None) -> Quantity | None:
        """What is below it is refused; a field that may be null is not bound then."""
        if value is None or value.amount >= self.least.amount:
            return value
        told: dict[str, str] = {"says": f"`{value}` is below the minimum, `{self.least}`"}
        if self.above_zero:
            told["says"] = f"`{value}` is out of bounds: it must be above 0"
        elif (
            value.text.isdecimal() and self.least.amount <= value.amount * Size.UNITS["Mi"] <= MOST_WITHOUT_UNIT.amount
        ):
            told = {"says": f"`{value}` is in bytes; the minimum is `{self.least}`", "hint": f"write `{value}Mi`"}
        raise PydanticCustomError("out-of-range", "{says}", told)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:  # noqa: ANN401 - as pydantic asks for it
        """Checked after the quantity is read."""
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __str__(self) -> str:
        """As it follows the name of a type."""
        return " above 0" if self.above_zero else f", at least {self.least}"


SOME_TIME = AtLeast(Duration("1ms"))
A_SECOND = AtLeast(Duration("1s"))
"""Of due times, which are whole seconds, and of what looks at everything again and again."""
SOME_CPU = AtLeast(Cpu("1m"))
SOME_BYTES = AtLeast(Size("1"))
ROOM_FOR_PYTHON = AtLeast(Size("16Mi"))
"""No interpreter starts with less."""

MOST_WITHOUT_UNIT = Size("1Ti")
"""Of memory. A number that would be more as so many `Mi` was probably not meant as such."""
