"""Redis deletes messages when its memory is full.

With any `maxmemory-policy` except `noeviction`, Redis frees memory by deleting keys. A stream is one key: it
disappears with all its messages, its group and its pending list, without an error. The `volatile-` policies delete
deduplication keys and leases first, so that work happens twice.

Run Redis with `noeviction`, so that it refuses new messages instead. Put a cache that needs another policy on another
server.
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
            "redis.eviction", message, "run Redis with `maxmemory-policy noeviction` and set `redis.eviction` to it"
        )
