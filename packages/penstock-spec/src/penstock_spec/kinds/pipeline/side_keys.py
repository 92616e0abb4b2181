"""The side keys of a pipeline, beside its stream."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.kinds.pipeline.derive import side_key

OF_STREAM = ("delayed", "bodies", "dedup")
"""Side keys that all groups of a stream share. Keys below them, such as `:dedup:<key>`, are reserved too."""

OF_GROUP = ("parked", "uncharged", "crashed", "finished", "alive", "position", "result")


def side_keys(key: str, group: str) -> Iterator[str]:
    """All side keys except the dead letters, whose key is configurable."""
    yield from (side_key(key, name) for name in OF_STREAM)
    yield from (side_key(key, f"{group}:{name}") for name in OF_GROUP)


def prefixes(key: str) -> Iterator[str]:
    """The key and all its prefixes: `a:b:c`, `a:b`, `a`."""
    while key:
        yield key
        key = key.rpartition(":")[0]
