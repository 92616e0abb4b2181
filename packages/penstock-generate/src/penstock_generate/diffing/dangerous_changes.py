"""Changes that could lose messages, compared with the worker files that were generated before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from penstock_generate.inputs.source import Source
from penstock_generate.tree.compare import Difference
from penstock_spec import worker_file
from penstock_spec.files import File
from penstock_spec.findings import CannotGoOn
from penstock_spec.linting.changes import ChangeFindings, check_changes
from penstock_spec.linting.lint import load
from penstock_spec.model import Section

WORKER = "worker.json"


def dangers(source: Source, specs: Mapping[str, File], root: Path, difference: Difference) -> ChangeFindings:
    """Of the files that are about to be written. Only changes that a process would see count."""
    touched = (*difference.outdated, *difference.edited, *difference.left_over)
    was = {path: (root / path).read_bytes() for path in touched if path.endswith(f"/{WORKER}")}
    return of(source, specs, was)


def of(source: Source, specs: Mapping[str, File], was: Mapping[str, bytes]) -> ChangeFindings:
    """Compared with earlier worker files, by their paths below `generated/`."""
    before: dict[str, dict[str, Section]] = {}
    for path, raw in sorted(was.items()):
        environment, name, _ = path.split("/")
        before.setdefault(environment, {})[name] = _spec(path, raw)
    named = {name for specs_before in before.values() for name in specs_before}
    documents = [load(specs[name]) for name in sorted(named & specs.keys())]
    return check_changes(source.platform, documents, specs.keys(), before, source.today)


def _spec(path: str, raw: bytes) -> Section:
    try:
        spec: Section = worker_file.read(raw, path, checked=False).spec
    except CannotGoOn as error:
        message = f"cannot check for lost messages: {error.says}"
        hint = f"restore `generated/{path}` with `git checkout`, or delete it to skip this check"
        raise CannotGoOn(message, hint) from None
    return spec
