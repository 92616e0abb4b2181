"""The number of Redis connections that a pipeline holds at its maximum, for rules that count them."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.spec import Pipeline

WORKER = {
    "reader": 1,  # blocks while it reads, so nothing else can use it
    "settler": 1,  # settles, parks and claims messages, and unblocks the reader
    "lease": 1,  # renewed in a separate thread, independent of the event loop
}
"""Connections of one worker pod, independent of its concurrency. Connections of handlers are not included."""

JANITOR = {
    "leader": 1,  # holds the leader's lock
    "work": 1,  # promotes, takes over, reconciles and trims
    "metrics": 1,  # measures, even while a long script runs
}
"""Connections of one janitor pod, independent of the number of pipelines.

On a cluster a connection belongs to the node of one key, so each pipeline needs its own for work and for metrics.
"""

PER_WORKER = sum(WORKER.values())


def connections_per_janitor(pipelines: int, topology: str) -> int:
    """Connections of one janitor pod; 0 without pipelines."""
    if not pipelines:
        return 0
    per_pipeline = JANITOR["work"] + JANITOR["metrics"]
    return JANITOR["leader"] + per_pipeline * (pipelines if topology == "cluster" else 1)


def max_connections(spec: Pipeline) -> int:
    """Connections of all workers at the maximum number of replicas."""
    return spec.scaling.replicas.max * PER_WORKER
