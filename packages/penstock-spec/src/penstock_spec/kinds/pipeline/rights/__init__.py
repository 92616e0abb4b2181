"""The minimal Redis permissions of each role of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.kinds.pipeline.rights import keys, roles
from penstock_spec.kinds.pipeline.rights.roles import Role
from penstock_spec.rights.keys import SpecInEnvironment

PER_SPEC_ROLES: tuple[str, ...] = roles.PER_PIPELINE_ROLES
"""Roles with a Redis user of their own for each pipeline."""
SHARED_ROLES: tuple[str, ...] = (Role.JANITOR, Role.OPERATOR)
"""Roles with one Redis user per environment."""


def patterns(role: str, target: SpecInEnvironment) -> Iterator[str]:
    """The key patterns of a role for one pipeline."""
    return keys.patterns(Role(role), target)


def commands(role: str, target: SpecInEnvironment) -> frozenset[str]:
    """The commands of a role for one pipeline."""
    return roles.commands_of(Role(role), target.spec, target.around.redis)


def needed_roles(role: str, target: SpecInEnvironment) -> Iterator[tuple[str, str]]:
    """Roles of other specs that it also needs: none."""
    del role, target
    yield from ()
