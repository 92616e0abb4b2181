"""Penstock: Redis Streams workers on Kubernetes with KEDA, from one YAML spec per pipeline.

These names are for handlers and senders. Each is imported at its first use, because the command and a process that
only runs handlers need few of them.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # known to type checkers; importing `typing` takes time, and Ctrl-C is quiet only after `entry`

if TYPE_CHECKING:
    from penstock.handling.declare import Middleware, handler
    from penstock.handling.exceptions import Bury, Retry
    from penstock.observe.registry import metrics
    from penstock.producer import Producer, SyncProducer
    from penstock.worker.context import Context

__all__ = ["Bury", "Context", "Middleware", "Producer", "Retry", "SyncProducer", "__version__", "handler", "metrics"]
__version__ = "0.1.0"

_MODULES = {
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
    if name not in _MODULES:
        raise AttributeError(f"module `penstock` has no `{name}`")
    value = globals()[name] = getattr(importlib.import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
