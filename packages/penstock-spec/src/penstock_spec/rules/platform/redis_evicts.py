"""Redis throws messages away when its memory is full.

With any `maxmemory-policy` but `noeviction`, Redis makes room by deleting keys. A stream is one key: it goes with all
its messages, its group and what is pending, in one step and without an error. The `volatile-` policies take the
deduplication keys and leases first, which makes work happen twice.

Run Redis with `noeviction`, so that sends are refused instead. A cache with another policy belongs on another server.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule
from penstock_spec.values.strings import printable


@platform_rule(Severity.ERROR)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    policy = subject.platform.redis.eviction
    if policy != "noeviction":
        message = f"`{printable(policy)}` deletes keys when memory is full, and a stream is one key"
        yield subject.problem(
            "redis.eviction", message, "run Redis with `maxmemory-policy noeviction`, and write that here"
        )
