"""The least rights in Redis that each part of a scheduler needs.

What its jobs send to a pipeline needs the rights of that pipeline's producer as well: they hang on the pipeline's spec.
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
"""Of a pipeline."""
OF_ITS_OWN = (POD,)
"""Users that each scheduler has."""
SHARED = (OPERATOR,)
"""Users of the environment that have rights on each: a person, with `penstock scheduler`."""

SCRIPTS: Mapping[str, frozenset[str]] = {
    POD: frozenset({"register", "unregister", "acquire", "complete", "release", "lease", "clean", "look"}),
    OPERATOR: frozenset({"pause", "resume", "run_now"}),
}
COMMANDS: Mapping[str, frozenset[str]] = {
    POD: LEAD | {"hscan", "info", "ping", "time", "zcard", "zcount"},
    OPERATOR: frozenset({"get", "hget", "hmget", "hscan", "time", "zcard", "zmscore", "zrange", "zscore"}),
}
"""Those that are sent as they are, by processes or by the commands of a runbook."""


def patterns(role: str, one: SpecInEnvironment) -> Iterator[str]:
    """Of keys: either has to do with all of them."""
    del role
    yield from exactly("~", *astuple(SchedulerKeys.of(one.spec.keys)))


def commands(role: str, one: SpecInEnvironment) -> frozenset[str]:
    """All that it needs."""
    return _commands(role) | of_connection(one.around.redis)


@cache
def _commands(role: str) -> frozenset[str]:
    return COMMANDS[role].union(*(CALLED[name] for name in SCRIPTS[role]))


def borrows(role: str, one: SpecInEnvironment) -> Iterator[tuple[str, str]]:
    """A pod is a producer of the pipelines that its listed jobs send to."""
    if role == POD:
        names = dict.fromkeys(job.send.pipeline for job in effective_jobs(one.spec) if job.send is not None)
        yield from ((name, PRODUCER) for name in names)
