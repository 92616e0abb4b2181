"""`kind: scheduler`: jobs that run again and again, spread over pods."""

from __future__ import annotations

from penstock_spec.kinds.kind import Kind
from penstock_spec.kinds.scheduler.derive import derive
from penstock_spec.kinds.scheduler.foreign import FOREIGN
from penstock_spec.kinds.scheduler.spec import Scheduler

__all__ = ["KIND", "Scheduler"]

KIND = Kind(
    name="scheduler",
    model=Scheduler,
    derive=derive,
    shows=(
        "name",
        "keys.prefix",
        "keys.waiting",
        "keys.working",
        "keys.cleanup_leader",
        "keys.hash_tag",
    ),
    rules="penstock_spec.kinds.scheduler.rules",
    families="penstock_spec.kinds.scheduler.families",
    metrics="penstock_spec.kinds.scheduler.metrics",
    unread=dict.fromkeys(
        ("resources", "replicas", "alerts", "patches", "acknowledge", "suppress", "environments"), True
    ),
    foreign=FOREIGN,
)
