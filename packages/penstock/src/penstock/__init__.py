"""Penstock: Redis Streams workers under Kubernetes and KEDA from one YAML spec a pipeline.

What handlers and senders use stands here; each name is loaded when it is first asked for, because the command, and a
process that only handles, need few of them.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as type checkers know it; `typing` takes its time, and Ctrl-C is not quiet before `entry`

if TYPE_CHECKING:
    from penstock.handling.declare import Middleware, handler
    from penstock.handling.exceptions import Bury, Retry
    from penstock.observe.registry import metrics
    from penstock.producer import Producer, SyncProducer
    from penstock.worker.context import Context

__all__ = ["Bury", "Context", "Middleware", "Producer", "Retry", "SyncProducer", "__version__", "handler", "metrics"]
__version__ = "0.1.0"

_WHERE = {
    "Bury": "penstock.handling.exceptions",
    "Context": "penstock.worker.context",
    "Middleware": "penstock.handling.declare",
    "Producer": "penstock.producer",
    "Retry": "penstock.handling.exceptions",
    "SyncProducer": "penstock.producer",
    "handler": "penstock.handling.declare",
    "metrics": "penstock.observe.registry",
}


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module `penstock` has no `{name}`")
    found = globals()[name] = getattr(importlib.import_module(_WHERE[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
