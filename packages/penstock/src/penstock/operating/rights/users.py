"""Users of Redis's access list, with the least rights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penstock.operating.rights.keys import patterns, tells_reading
from penstock.operating.rights.roles import OF_A_PIPELINE, OF_AN_ENVIRONMENT, Role, commands_of
from penstock.resolved import Resolved


@dataclass(frozen=True, slots=True)
class User:
    """One of them. Whether it is on, and its password, are not said here: they stay as they are."""

    name: str
    role: Role
    pipelines: Sequence[str]
    rules: Sequence[str]

    @property
    def line(self) -> str:
        """For `redis-cli`."""
        return " ".join(("ACL SETUSER", *map(quoted, (self.name, *self.rules))))


def users(pipelines: Sequence[Resolved], prefix: str) -> Iterator[User]:
    """Those of each pipeline, then those of the environment."""
    for pipeline in pipelines:
        for role in OF_A_PIPELINE:
            yield _user(f"{prefix}{pipeline.name}-{role}", role, (pipeline,))
    for role in OF_AN_ENVIRONMENT:
        yield _user(f"{prefix}penstock-{role}", role, pipelines)


def _user(name: str, role: Role, pipelines: Sequence[Resolved]) -> User:
    selectors = ["clearselectors"] if all(map(tells_reading, pipelines)) else []  # they are as old as reading
    nothing = ("resetkeys", "resetchannels", *selectors, "-@all")
    keys = dict.fromkeys(pattern for one in pipelines for pattern in patterns(role, one))
    commands = {command for one in pipelines for command in commands_of(role, one.spec, one.redis)}
    rules = (*nothing, *keys, *(f"+{command}" for command in sorted(commands)))
    return User(name, role, tuple(one.name for one in pipelines), rules)


def quoted(word: str) -> str:
    """As `redis-cli` reads it: a quote anywhere in a bare word would begin a quoted one."""
    if not any(mark in word for mark in "\"' "):
        return word
    inside = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inside}"'
