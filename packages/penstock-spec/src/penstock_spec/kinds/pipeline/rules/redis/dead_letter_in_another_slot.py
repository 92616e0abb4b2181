"""The dead letter stream is in another slot of the Redis Cluster.

One script buries a message: it adds the dead letter, then acknowledges the message. Redis Cluster runs a script only
if all its keys are in one slot, and refuses this one. The message is never buried: it fails forever, and takes up some
of the worker's concurrency.

Remove `dead_letter.key`, since the default shares the stream's slot. Or give both keys the same hash tag, the part
between `{` and `}`.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.derive import dead_letters
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule

SLOTS = 16384


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    if subject.platform.redis.topology != "cluster":
        return
    key, group, dead = subject.spec.stream.key, subject.spec.stream.group, subject.spec.dead_letter.key
    if slot(dead) != slot(key):
        at = subject.line("stream.key")
        message = f"it is in slot {slot(dead)} of the cluster, but the stream `{key}` ({at}) is in slot {slot(key)}"
        yield subject.problem(
            "dead_letter.key", message, f"remove it to get `{dead_letters(key, group)}`, or share a hash tag"
        )


def slot(key: str) -> int:
    """The slot of a key: of its hash tag if that is not empty, otherwise of the whole key."""
    tag = key.partition("{")[2].partition("}")
    hashed = tag[0] if tag[0] and tag[1] else key
    return binascii.crc_hqx(hashed.encode(), 0) % SLOTS
