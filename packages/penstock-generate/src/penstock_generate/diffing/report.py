"""Everything that differs between what was generated and what would be, folder by folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from penstock_generate.diffing.past import Past
from penstock_generate.diffing.words import Said, say
from penstock_generate.incremental.folders import Folder
from penstock_generate.rendering.artifact import REPOSITORY_FOLDERS
from penstock_generate.tree import listing

SECTIONS = (
    "files", "message", "worker", "platform", "scaling", "alerts", "dashboard", "access", "manifests", "settings",
)  # fmt: skip
"""In the order in which they are told."""
DEPLOYMENT = "manifests/deployment.yaml"


@dataclass(frozen=True, slots=True)
class Differs:
    """One folder."""

    name: str
    """Of the spec, or of what else it holds."""
    environment: str
    """Nothing where it belongs to all."""
    said: tuple[Said, ...]
    also: tuple[str, ...]
    """Files that differ and for which there are no words."""
    restarts: bool
    """Whether pods that run are replaced."""

    @property
    def told(self) -> tuple[tuple[Said, ...], tuple[str, ...], bool]:
        """All but where it is."""
        return self.said, self.also, self.restarts


@dataclass(frozen=True, slots=True)
class Report:
    """All of them."""

    differs: tuple[Differs, ...]
    unchanged: int
    was: Mapping[str, bytes]
    """Worker files as they were, of folders that differ."""


def report(past: Past, folders: Iterable[Folder], gone: Iterable[str]) -> Report:
    """`folders` as they would be; `gone` are those that would be no more."""
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
        said = Said("files", f"{len(new)} new ones" if new else f"all {len(old)} removed")
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
    """By section, each in the order in which it came."""
    return sorted(dict.fromkeys(told), key=lambda one: SECTIONS.index(one.section))


def _pods(raw: bytes | None) -> Any:  # noqa: ANN401 - a part of a manifest
    manifest = yaml.load(raw, yaml.CSafeLoader) if raw else None
    return manifest["spec"]["template"] if manifest else None
