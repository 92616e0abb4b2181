"""Keys as patterns of Redis's access list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Protocol

from penstock_spec.platform import Environment
from penstock_spec.values.quantities import Version

BY_ACCESS = Version("7.0")
"""Since this version a right can be read-only. Keys of scripts must always be writable."""

SPECIAL = re.compile(r"([*?\[\]\\])")


class SpecInEnvironment(Protocol):
    """A spec in an environment."""

    @property
    def spec(self) -> Any:  # noqa: ANN401 - the model of its kind
        """The resolved spec."""
        ...

    @property
    def environment(self) -> str:
        """The name of the environment."""
        ...

    @property
    def around(self) -> Environment:
        """The environment in the platform file."""
        ...


def supports_read_rights(one: SpecInEnvironment) -> bool:
    """Whether the Redis of its environment has read-only rights."""
    return not one.around.versions.redis < BY_ACCESS


def exactly(sign: str, *keys: str) -> Iterator[str]:
    """Patterns for exactly these keys."""
    yield from (sign + escaped(key) for key in keys)


@lru_cache(256)  # each role of a spec has most of its keys
def escaped(key: str) -> str:
    """A pattern that matches only this key."""
    return SPECIAL.sub(r"\\\1", key)
