"""Redis users with the least rights, as commands for the access list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import ModuleType

from penstock_spec.kinds import kinds
from penstock_spec.kinds.parts import part_of
from penstock_spec.rights.keys import SpecInEnvironment, supports_read_rights

ENVIRONMENT_ROLES = ("janitor", "operator")
"""Roles with one user for all specs of an environment."""
RIGHTS = ("resetkeys", "-@all")
"""Rules that remove all keys and all commands."""
PARTS = ("PER_SPEC_ROLES", "SHARED_ROLES", "patterns", "commands", "needed_roles")
"""The names that the `rights` package of a kind defines."""


@dataclass(frozen=True, slots=True)
class User:
    """A user. Its password and whether it is enabled are not part of it, so they stay unchanged."""

    name: str
    role: str
    specs: Sequence[str]
    without: Sequence[str]
    """Rules that remove previous rights."""
    grants: Sequence[str]

    @property
    def rules(self) -> Sequence[str]:
        """The rules that give the user exactly its rights."""
        return (*self.without, *self.grants)

    @property
    def line(self) -> str:
        """The command for `redis-cli`."""
        return _line(self.name, self.rules)

    @property
    def adding(self) -> str:
        """The same command for a user that keeps the keys and commands of other specs."""
        return _line(self.name, (*(rule for rule in self.without if rule not in RIGHTS), *self.grants))


def users(specs: Sequence[SpecInEnvironment], prefix: str, among: Sequence[SpecInEnvironment] = ()) -> Iterator[User]:
    """The users of each spec, then those of the environment. `among` has further specs whose rights they may need."""
    by_name = {one.spec.name: one for one in (*among, *specs)}
    for one in specs:
        for role in _rights(one).PER_SPEC_ROLES:
            parts = [(by_name[name], part) for name, part in _rights(one).needed_roles(role, one) if name in by_name]
            yield _user(f"{prefix}{one.spec.name}-{role}", role, ((one, role), *parts), own_specs=(one,))
    for role in ENVIRONMENT_ROLES:
        own_specs = tuple(one for one in specs if role in _rights(one).SHARED_ROLES)
        if own_specs:
            yield _user(f"{prefix}penstock-{role}", role, [(one, role) for one in own_specs], own_specs=own_specs)


def needed_specs(one: SpecInEnvironment) -> Sequence[str]:
    """Other specs whose rights the users of a spec need too."""
    return tuple(
        dict.fromkeys(name for role in _rights(one).PER_SPEC_ROLES for name, _ in _rights(one).needed_roles(role, one))
    )


def roles() -> tuple[str, ...]:
    """All roles."""
    return (*(role for name in kinds() for role in _of(name).PER_SPEC_ROLES), *ENVIRONMENT_ROLES)


def _rights(one: SpecInEnvironment) -> ModuleType:
    return _of(one.spec.kind)


@cache
def _of(kind: str) -> ModuleType:
    """The module of a kind with these names."""
    return part_of(kind, "rights", kinds()[kind].rights, *PARTS)


def _user(
    name: str, role: str, parts: Sequence[tuple[SpecInEnvironment, str]], own_specs: Sequence[SpecInEnvironment]
) -> User:
    selectors = (
        ["clearselectors"] if all(map(supports_read_rights, own_specs)) else []
    )  # selectors came with read-only rights
    without = ("resetkeys", "resetchannels", *selectors, "-@all")
    return User(name, role, tuple(one.spec.name for one in own_specs), without, grants(parts))


def grants(parts: Sequence[tuple[SpecInEnvironment, str]]) -> Sequence[str]:
    """The rights of these roles of specs."""
    keys = dict.fromkeys(pattern for one, part in parts for pattern in _rights(one).patterns(part, one))
    commands = frozenset[str]().union(*(_rights(one).commands(part, one) for one, part in parts))
    return (*keys, *_granted(commands))


@lru_cache(256)  # most specs need the same ones
def _granted(commands: frozenset[str]) -> Sequence[str]:
    return tuple(f"+{command}" for command in sorted(commands))


def _line(name: str, rules: Iterable[str]) -> str:
    return " ".join(("ACL SETUSER", *map(quoted, (name, *rules))))


def quoted(word: str) -> str:
    """A word quoted for `redis-cli`, where a quote inside a bare word starts a quoted one."""
    if not ('"' in word or "'" in word or " " in word):
        return word
    inside = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inside}"'
