"""How many connections to Redis a pipeline holds at its maximum, so that rules can count them before they run out."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.spec import Pipeline

WORKER = {
    "reader": 1,  # blocks in its read, so nothing else can use it
    "settler": 1,  # finishes, parks and claims, and unblocks the reader
    "lease": 1,  # renewed from a thread of its own, which shares nothing with the event loop
}
"""Connections of one worker pod, whatever its concurrency. Those that a handler opens for itself are not counted."""

JANITOR = {
    "leader": 1,  # holds the lock that saves work
    "work": 1,  # promotes, takes over, reconciles and trims
    "metrics": 1,  # measures while a long script runs
}
"""Connections of one pod of the janitor, however many pipelines it serves.

On a cluster a connection follows one key, so that each pipeline has its own for work and for metrics.
"""

PER_WORKER = sum(WORKER.values())


def per_janitor(pipelines: int, topology: str) -> int:
    """Those of one pod of the janitor, where there is anything to look after."""
    if not pipelines:
        return 0
    own = JANITOR["work"] + JANITOR["metrics"]
    return JANITOR["leader"] + own * (pipelines if topology == "cluster" else 1)


def at_most(spec: Pipeline) -> int:
    """Those of all its workers, when there are as many as there may be."""
    return spec.scaling.replicas.max * PER_WORKER
