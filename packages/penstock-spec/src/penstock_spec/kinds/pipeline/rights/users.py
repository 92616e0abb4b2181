"""Users of Redis's access list, with the least rights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from penstock_spec.kinds.pipeline.rights.keys import Placed, patterns, tells_reading
from penstock_spec.kinds.pipeline.rights.roles import OF_A_PIPELINE, OF_AN_ENVIRONMENT, Role, commands_of

RIGHTS = ("resetkeys", "-@all")
"""What takes away all keys, and all commands."""


@dataclass(frozen=True, slots=True)
class User:
    """One of them. Whether it is on, and its password, are not said here: they stay as they are."""

    name: str
    role: Role
    pipelines: Sequence[str]
    without: Sequence[str]
    """Rules that take away what it had."""
    grants: Sequence[str]

    @property
    def rules(self) -> Sequence[str]:
        """After these it has its rights and no others."""
        return (*self.without, *self.grants)

    @property
    def line(self) -> str:
        """For `redis-cli`."""
        return _line(self.name, self.rules)

    @property
    def adding(self) -> str:
        """The same, for a user who keeps the keys and commands that it has for other pipelines."""
        return _line(self.name, (*(rule for rule in self.without if rule not in RIGHTS), *self.grants))


def users(pipelines: Sequence[Placed], prefix: str) -> Iterator[User]:
    """Those of each pipeline, then those of the environment."""
    for pipeline in pipelines:
        for role in OF_A_PIPELINE:
            yield _user(f"{prefix}{pipeline.spec.name}-{role}", role, (pipeline,))
    for role in OF_AN_ENVIRONMENT:
        yield _user(f"{prefix}penstock-{role}", role, pipelines)


def _user(name: str, role: Role, pipelines: Sequence[Placed]) -> User:
    selectors = ["clearselectors"] if all(map(tells_reading, pipelines)) else []  # they are as old as reading
    without = ("resetkeys", "resetchannels", *selectors, "-@all")
    keys = dict.fromkeys(pattern for one in pipelines for pattern in patterns(role, one))
    commands = {command for one in pipelines for command in commands_of(role, one.spec, one.around.redis)}
    grants = (*keys, *(f"+{command}" for command in sorted(commands)))
    return User(name, role, tuple(one.spec.name for one in pipelines), without, grants)


def _line(name: str, rules: Iterable[str]) -> str:
    return " ".join(("ACL SETUSER", *map(quoted, (name, *rules))))


def quoted(word: str) -> str:
    """As `redis-cli` reads it: a quote anywhere in a bare word would begin a quoted one."""
    if not ('"' in word or "'" in word or " " in word):
        return word
    inside = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inside}"'
