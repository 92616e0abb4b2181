"""The Redis version is not supported.

Penstock's scripts need commands of Redis 6.2: claiming a page of messages (`XAUTOCLAIM`), listing a consumer's pending
messages by idle time, creating a consumer, trimming up to the lowest unfinished message. On an older server the first
takeover fails, and messages of a lost worker are never processed.

Run Redis 6.2 or later, or any version of Valkey. If the server is newer already, set `versions.redis` in the platform
file to its `redis_version` from `INFO server`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule
from penstock_spec.values.quantities import Version

OLDEST = Version("6.2")


@platform_rule(Severity.ERROR)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    version = subject.platform.versions.redis
    if version < OLDEST:
        message = f"Redis {version} lacks commands that workers and the janitor need, such as XAUTOCLAIM"
        yield subject.problem("versions.redis", message, f"run Redis `{OLDEST}` or later and set its version here")
