"""The least rights in Redis that each part of a pipeline needs."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.kinds.pipeline.rights import keys, roles
from penstock_spec.kinds.pipeline.rights.roles import Role
from penstock_spec.rights.keys import SpecInEnvironment

OF_ITS_OWN: tuple[str, ...] = roles.OF_A_PIPELINE
"""Users that each pipeline has."""
SHARED: tuple[str, ...] = (Role.JANITOR, Role.OPERATOR)
"""Users of the environment that have rights on each."""


def patterns(role: str, one: SpecInEnvironment) -> Iterator[str]:
    """Of keys."""
    return keys.patterns(Role(role), one)


def commands(role: str, one: SpecInEnvironment) -> frozenset[str]:
    """All that it needs."""
    return roles.commands_of(Role(role), one.spec, one.around.redis)


def borrows(role: str, one: SpecInEnvironment) -> Iterator[tuple[str, str]]:
    """Other specs whose parts it takes as well, and which: none."""
    del role, one
    yield from ()
