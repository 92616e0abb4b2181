"""The keys that a pipeline uses beside its stream."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.kinds.pipeline.derive import side_key

OF_STREAM = ("delayed", "bodies", "dedup")
"""Shared by all groups of a stream. Keys below these, such as `:dedup:<what>`, are taken as well."""

OF_GROUP = ("parked", "uncharged", "crashed", "finished", "alive", "position", "result")


def side_keys(key: str, group: str) -> Iterator[str]:
    """Every side key; the dead letters are not among them, for a spec may put those elsewhere."""
    yield from (side_key(key, name) for name in OF_STREAM)
    yield from (side_key(key, f"{group}:{name}") for name in OF_GROUP)


def prefixes(key: str) -> Iterator[str]:
    """The key itself, then all that it could stand below: `a:b:c`, `a:b`, `a`."""
    while key:
        yield key
        key = key.rpartition(":")[0]
