"""Commands and their encoding."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

import hiredis

Argument: TypeAlias = bytes | str | int | float

# hiredis annotates a tuple of one.
pack = cast("Callable[[tuple[Argument, ...]], bytes]", hiredis.pack_command)
"""Encode a command. Raises for an argument of another type, before anything is sent."""
