"""Keys as patterns of Redis's access lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Protocol

from penstock_spec.platform import Environment
from penstock_spec.values.quantities import Version

BY_ACCESS = Version("7.0")
"""From here on a right may be to read alone. What scripts are handed must be writable, whatever they do with it."""

SPECIAL = re.compile(r"([*?\[\]\\])")


class SpecInEnvironment(Protocol):
    """A spec in an environment."""

    @property
    def spec(self) -> Any:  # noqa: ANN401 - the model of its kind
        """As it is there."""
        ...

    @property
    def environment(self) -> str:
        """Its name."""
        ...

    @property
    def around(self) -> Environment:
        """What the platform file says of it."""
        ...


def supports_read_rights(one: SpecInEnvironment) -> bool:
    """Whether the Redis of its environment tells reading from writing."""
    return not one.around.versions.redis < BY_ACCESS


def exactly(sign: str, *keys: str) -> Iterator[str]:
    """These keys and no others."""
    yield from (sign + escaped(key) for key in keys)


@lru_cache(256)  # each role of a spec has most of its keys
def escaped(key: str) -> str:
    """A pattern that only this key fits."""
    return SPECIAL.sub(r"\\\1", key)
