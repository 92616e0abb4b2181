"""How many connections to Redis a pipeline holds at its maximum, so that rules can count them before they run out."""

from __future__ import annotations

WORKER = {
    "reader": 1,  # blocks in its read, so nothing else can use it
    "settler": 1,  # finishes, parks and claims, and unblocks the reader
    "lease": 1,  # renewed from a thread of its own, which shares nothing with the event loop
}
"""Connections of one worker pod, whatever its concurrency. Those that a handler opens for itself are not counted."""

JANITOR = {
    "work": 1,  # promotes, takes over, reconciles and trims
    "leader": 1,  # holds the lock that saves work
    "metrics": 1,  # answers scrapes while a long script runs
}
"""Connections of one pod of the janitor, however many pipelines it serves."""

PER_WORKER = sum(WORKER.values())
PER_JANITOR = sum(JANITOR.values())
