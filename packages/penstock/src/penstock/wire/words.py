"""What a command is made of, and how it is packed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

import hiredis

Word: TypeAlias = bytes | str | int | float

# hiredis' own annotation says a tuple of one.
pack = cast("Callable[[tuple[Word, ...]], bytes]", hiredis.pack_command)
"""A command as Redis reads it. Raises before anything is sent where a word is of another type."""
