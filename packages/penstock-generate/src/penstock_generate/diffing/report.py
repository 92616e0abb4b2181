"""All changes between two states of `generated/`, folder by folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from penstock_generate.diffing.describe import Change, describe
from penstock_generate.diffing.earlier import Earlier
from penstock_generate.incremental.folders import Folder
from penstock_generate.rendering.artifact import REPOSITORY_FOLDERS
from penstock_generate.tree import listing

SECTIONS = (
    "files", "message", "worker", "platform", "scaling", "alerts", "dashboard", "access", "manifests", "settings",
)  # fmt: skip
"""In the order of the report."""
DEPLOYMENT = "manifests/deployment.yaml"


@dataclass(frozen=True, slots=True)
class FolderChanges:
    """The changes of one folder."""

    name: str
    """The name of the spec, or of another folder."""
    environment: str
    """Empty if it belongs to all."""
    changes: tuple[Change, ...]
    also: tuple[str, ...]
    """Changed files that have no description."""
    restarts: bool
    """Whether running pods are replaced."""

    @property
    def content(self) -> tuple[tuple[Change, ...], tuple[str, ...], bool]:
        """Everything but the environment, to merge equal changes."""
        return self.changes, self.also, self.restarts


@dataclass(frozen=True, slots=True)
class Report:
    """The changes of all folders."""

    differs: tuple[FolderChanges, ...]
    unchanged: int
    was: Mapping[str, bytes]
    """The earlier worker files of changed folders."""


def report(earlier: Earlier, folders: Iterable[Folder], gone: Iterable[str]) -> Report:
    """From the new `folders` and the names of folders that are `gone`."""
    changes, unchanged = [], 0
    was: dict[str, bytes] = {}
    for folder in folders:
        new = folder.files
        if earlier.listing(folder.name) == new[f"{folder.name}/{listing.NAME}"].decode():
            unchanged += 1
            continue
        old = earlier.files(folder.name)
        was |= _workers(old)
        changes.append(_differs(folder.name, old, new))
    for name in gone:
        old = earlier.files(name)
        was |= _workers(old)
        changes.append(_differs(name, old, {}))
    return Report(tuple(changes), unchanged, was)


def _workers(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: raw for path, raw in files.items() if path.endswith("/worker.json")}


def _differs(folder: str, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> FolderChanges:
    environment, _, name = ("", "", folder) if folder in REPOSITORY_FOLDERS else folder.partition("/")
    if not old or not new:
        change = Change("files", f"all {len(new)} added" if new else f"all {len(old)} removed")
        return FolderChanges(name, environment, (change,), (), restarts=False)
    inside = {path.removeprefix(f"{folder}/") for path in (*new, *old)}
    content: list[Change] = []
    also = []
    for one in sorted(inside):
        before, after = old.get(f"{folder}/{one}"), new.get(f"{folder}/{one}")
        if before == after:
            continue
        changes = describe(one, before, after)
        if changes is None:
            also.append(one)
        else:
            content += changes
    restarts = _pods(old.get(f"{folder}/{DEPLOYMENT}")) != _pods(new.get(f"{folder}/{DEPLOYMENT}"))
    return FolderChanges(name, environment, tuple(_in_order(content)), tuple(also), restarts)


def _in_order(content: list[Change]) -> list[Change]:
    """Sorted by section, stable within it."""
    return sorted(dict.fromkeys(content), key=lambda one: SECTIONS.index(one.section))


def _pods(raw: bytes | None) -> Any:  # noqa: ANN401 - a part of a manifest
    manifest = yaml.load(raw, yaml.CSafeLoader) if raw else None
    return manifest["spec"]["template"] if manifest else None
