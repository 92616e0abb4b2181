"""Cache the results of lint, as long as nothing changes that they depend on.

They depend on the bytes of every file, the templates that change what rules check, the version of every tool that reads
them, the selected environments, and the day (suppressions end). Time stamps of specs are ignored. There are two files,
each written atomically, so that parallel runs only repeat some work: `run.json` has the result of the last run,
`specs.json` the result of each spec, for runs in which only some have changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock_spec import atomic
from penstock_spec.files import File, digest
from penstock_spec.findings import Finding, LintResult, Severity, Span
from penstock_spec.repository import Inputs, Repository, read_inputs

if TYPE_CHECKING:
    from penstock_spec.linting.checked import CheckedFile
    from penstock_spec.linting.lint import OnValid

BROKEN = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""Errors of a damaged cache; it counts as empty."""

FEW = 100
"""Storing this many specs takes as long as checking one; fewer changed specs are checked again instead."""
FOLDER = ".penstock-cache"
TOOLS = ("penstock-spec", "pydantic", "pydantic-core", "PyYAML", "ruamel.yaml", "jsonschema-rs")


def lint(
    repository: Repository,
    environments: tuple[str, ...],
    today: date,
    inputs: Inputs | None = None,
) -> LintResult:
    """Like `lint.lint`, from the cache if possible. Pass `inputs` if the repository's files are already read."""
    return run(repository, environments, today, inputs or read_inputs(repository))[0]


def run(
    repository: Repository, environments: tuple[str, ...], today: date, inputs: Inputs, on_valid: OnValid | None = None
) -> tuple[LintResult, Mapping[str, Any]]:
    """The same, with the results of `on_valid` by file; there are none for specs from the cache."""
    folder = repository.root / FOLDER
    tool = fingerprint()
    files = map(_file_key, (inputs.platform, *inputs.specs))
    key = _key(tool, *environments, "/", today.isoformat(), str(inputs.complete), _templates_key(inputs), *files)
    cached = load(folder / "run.json")
    if cached.get("key") == key:
        with contextlib.suppress(*BROKEN):
            return _outcome(cached, inputs), {}
    return _run_and_store(_CacheEntry(folder, tool, key), inputs, environments, today, on_valid)


class _CacheEntry(NamedTuple):
    """Where to store the results of a run, and their keys."""

    folder: Path
    tool: str
    key: str


def _run_and_store(
    run_entry: _CacheEntry, inputs: Inputs, environments: tuple[str, ...], today: date, on_valid: OnValid | None
) -> tuple[LintResult, Mapping[str, Any]]:
    from penstock_spec.linting import lint as engine  # noqa: PLC0415 - an unchanged run needs none of it
    from penstock_spec.linting.checked_json import from_json, to_json  # noqa: PLC0415 - as above

    folder, tool, key = run_entry
    around = _key(tool, _file_key(inputs.platform), _templates_key(inputs), *environments)
    cached = load(folder / "specs.json")
    entries: Mapping[str, Any] = cached.get("specs", {}) if cached.get("around") == around else {}
    known: dict[str, CheckedFile] = {}
    for file in inputs.specs:
        with contextlib.suppress(*BROKEN):
            entry = entries[file.name]
            checked = from_json(entry["checked"])
            if entry["key"] == _file_key(file) and _unchanged(file, checked.beside):
                known[file.name] = checked
    linted = engine.lint(inputs, environments, today, known, on_valid)
    beside = [[file.name, linted.specs[file.name].beside] for file in inputs.specs if linted.specs[file.name].beside]
    findings = [_packed(one) for one in linted.outcome.findings]
    specs = {
        file.name: entries[file.name]
        if file.name in known
        else {"key": _file_key(file), "checked": to_json(linted.specs[file.name])}
        for file in inputs.specs
    }
    store(folder, "run.json", _text({"key": key, "beside": beside, "findings": findings}))
    if (len(specs) - len(known)) * FEW > len(specs):
        store(folder, "specs.json", _text({"around": around, "specs": specs}))
    return linted.outcome, linted.results


def _outcome(cached: Mapping[str, Any], inputs: Inputs) -> LintResult:
    """The cached result; raises `ValueError` if a file beside a spec has changed."""
    files = {file.name: file for file in (inputs.platform, *inputs.specs)}
    if not all(_unchanged(files[name], digests) for name, digests in cached["beside"]):
        raise ValueError
    findings = tuple(_unpacked(one) for one in cached["findings"])
    pointed = {one.at.file for one in findings}
    lines = {name: file.lines() for name, file in files.items() if name in pointed}
    return LintResult(findings, len(inputs.specs), lines, tuple(files))


def _unchanged(file: File, digests: Mapping[str, str | None]) -> bool:
    """Whether the files beside a spec are unchanged."""
    return all(digest(file.beside(relative)) == was for relative, was in digests.items())


def fingerprint(folders: tuple[Path, ...] = (), tools: tuple[str, ...] = (), *more: str) -> str:
    """A key for the tools: their versions, and the files of their packages, which change during development."""
    own = sorted(
        (entry.path, entry.stat().st_size, entry.stat().st_mtime_ns)
        for package in (Path(__file__).parents[1], *folders)
        for folder, _, _ in os.walk(package)
        if not folder.endswith("__pycache__")
        for entry in os.scandir(folder)
        if entry.name.endswith(".py")
    )
    return _key(sys.version, *map(_version, (*TOOLS, *tools)), repr(own), *more)


def _version(tool: str) -> str:
    try:
        return version(tool)
    except PackageNotFoundError:
        return ""


def _templates_key(inputs: Inputs) -> str:
    return inputs.templates.key if inputs.templates else ""


def _file_key(file: File) -> str:
    return _key(file.name, repr(file.raw) if not isinstance(file.raw, bytes) else digest(file.raw) or "")


def _key(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _packed(one: Finding) -> list[Any]:
    return [one.rule, one.severity, one.title, list(one.at), one.says, one.hint, list(one.environments), one.path]


def _unpacked(one: list[Any]) -> Finding:
    rule, severity, title, at, says, hint, environments, path = one
    return Finding(rule, Severity(severity), title, Span(*at), says, hint, tuple(environments), path)


def load(path: Path) -> dict[str, Any]:
    """The content of a cache file. A missing, damaged or foreign file counts as empty."""
    try:
        cached = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return cached if isinstance(cached, dict) else {}


def _text(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()  # `dump` is slower: it writes piece by piece


def store(folder: Path, name: str, content: bytes) -> None:
    """Write a cache file atomically. If the folder is not writable, nothing is cached."""
    with contextlib.suppress(OSError):
        if not folder.exists():
            folder.mkdir()
            (folder / ".gitignore").write_text("*\n")
        atomic.write(folder / name, content)
