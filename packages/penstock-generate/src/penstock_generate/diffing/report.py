"""All changes between two states of `generated/`, folder by folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from penstock_generate.diffing.describe import Said, say
from penstock_generate.diffing.earlier import Past
from penstock_generate.incremental.folders import Folder
from penstock_generate.rendering.artifact import REPOSITORY_FOLDERS
from penstock_generate.tree import listing

SECTIONS = (
    "files", "message", "worker", "platform", "scaling", "alerts", "dashboard", "access", "manifests", "settings",
)  # fmt: skip
"""In the order of the report."""
DEPLOYMENT = "manifests/deployment.yaml"


@dataclass(frozen=True, slots=True)
class Differs:
    """The changes of one folder."""

    name: str
    """The name of the spec, or of another folder."""
    environment: str
    """Empty if it belongs to all."""
    said: tuple[Said, ...]
    also: tuple[str, ...]
    """Changed files that have no description."""
    restarts: bool
    """Whether running pods are replaced."""

    @property
    def told(self) -> tuple[tuple[Said, ...], tuple[str, ...], bool]:
        """Everything but the place, to merge environments."""
        return self.said, self.also, self.restarts


@dataclass(frozen=True, slots=True)
class Report:
    """The changes of all folders."""

    differs: tuple[Differs, ...]
    unchanged: int
    was: Mapping[str, bytes]
    """The earlier worker files of changed folders."""


def report(past: Past, folders: Iterable[Folder], gone: Iterable[str]) -> Report:
    """From the new `folders` and the names of folders that are `gone`."""
    found, unchanged = [], 0
    was: dict[str, bytes] = {}
    for folder in folders:
        new = folder.files
        if past.listing(folder.name) == new[f"{folder.name}/{listing.NAME}"].decode():
            unchanged += 1
            continue
        old = past.files(folder.name)
        was |= _workers(old)
        found.append(_differs(folder.name, old, new))
    for name in gone:
        old = past.files(name)
        was |= _workers(old)
        found.append(_differs(name, old, {}))
    return Report(tuple(found), unchanged, was)


def _workers(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: raw for path, raw in files.items() if path.endswith("/worker.json")}


def _differs(folder: str, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> Differs:
    environment, _, name = ("", "", folder) if folder in REPOSITORY_FOLDERS else folder.partition("/")
    if not old or not new:
        said = Said("files", f"all {len(new)} added" if new else f"all {len(old)} removed")
        return Differs(name, environment, (said,), (), restarts=False)
    inside = {path.removeprefix(f"{folder}/") for path in (*new, *old)}
    told: list[Said] = []
    also = []
    for one in sorted(inside):
        before, after = old.get(f"{folder}/{one}"), new.get(f"{folder}/{one}")
        if before == after:
            continue
        words = say(one, before, after)
        if words is None:
            also.append(one)
        else:
            told += words
    restarts = _pods(old.get(f"{folder}/{DEPLOYMENT}")) != _pods(new.get(f"{folder}/{DEPLOYMENT}"))
    return Differs(name, environment, tuple(_in_order(told)), tuple(also), restarts)


def _in_order(told: list[Said]) -> list[Said]:
    """Sorted by section, stable within it."""
    return sorted(dict.fromkeys(told), key=lambda one: SECTIONS.index(one.section))


def _pods(raw: bytes | None) -> Any:  # noqa: ANN401 - a part of a manifest
    manifest = yaml.load(raw, yaml.CSafeLoader) if raw else None
    return manifest["spec"]["template"] if manifest else None
