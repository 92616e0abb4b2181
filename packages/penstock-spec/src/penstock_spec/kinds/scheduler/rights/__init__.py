"""The minimal Redis permissions of each role of a scheduler.

Jobs that send to a pipeline also need the permissions of that pipeline's producer, which depend on the pipeline's spec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple
from functools import cache

from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.keys import SchedulerKeys
from penstock_spec.kinds.scheduler.rights.scripts import CALLED, LEAD
from penstock_spec.rights.connection import of_connection
from penstock_spec.rights.keys import SpecInEnvironment, exactly

POD, OPERATOR = "scheduler", "operator"
PRODUCER = "producer"
"""The producer role of a pipeline."""
PER_SPEC_ROLES = (POD,)
"""Roles with a Redis user of their own for each scheduler."""
SHARED_ROLES = (OPERATOR,)
"""Roles with one Redis user per environment: people who use `penstock scheduler`."""

SCRIPTS: Mapping[str, frozenset[str]] = {
    POD: frozenset(
        {
            "register",
            "unregister",
            "acquire",
            "complete",
            "give_up",
            "release",
            "keep",
            "lease",
            "clean",
            "look",
            "prune",
        }
    ),
    OPERATOR: frozenset({"pause", "resume", "run_now"}),
}
COMMANDS: Mapping[str, frozenset[str]] = {
    POD: LEAD | {"command", "hscan", "info", "ping", "time", "zcard", "zcount"},
    OPERATOR: frozenset({"get", "hget", "hmget", "hscan", "time", "zcard", "zmscore", "zrange", "zscore"}),
}
"""Commands that are sent directly, by processes or by the commands of a runbook."""


def patterns(role: str, target: SpecInEnvironment) -> Iterator[str]:
    """The key patterns of a role for one scheduler: both roles use all keys."""
    del role
    yield from exactly("~", *astuple(SchedulerKeys.of(target.spec.keys)))


def commands(role: str, target: SpecInEnvironment) -> frozenset[str]:
    """The commands of a role for one scheduler."""
    return _commands(role) | of_connection(target.around.redis)


@cache
def _commands(role: str) -> frozenset[str]:
    return COMMANDS[role].union(*(CALLED[name] for name in SCRIPTS[role]))


def needed_roles(role: str, target: SpecInEnvironment) -> Iterator[tuple[str, str]]:
    """Roles of other specs: a pod is a producer of the pipelines that its listed jobs send to."""
    if role == POD:
        names = dict.fromkeys(job.send.pipeline for job in effective_jobs(target.spec) if job.send is not None)
        yield from ((name, PRODUCER) for name in names)
