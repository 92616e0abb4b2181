"""What a repository says now against what it said before: changes that can lose messages, and who took them on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from penstock_spec.catalogue import catalogue
from penstock_spec.findings import Finding
from penstock_spec.kinds import kinds
from penstock_spec.layers import layered
from penstock_spec.linting.check import PlatformFile, check_platform
from penstock_spec.linting.checked import Checked
from penstock_spec.linting.lint import load, settle
from penstock_spec.linting.waivers import Promise, promises, removals
from penstock_spec.model import Part
from penstock_spec.reading import Document, Found
from penstock_spec.repository import Inputs
from penstock_spec.subject import Changed, Subject

Before = Mapping[str, Mapping[str, Part]]
"""Specs as they were: by environment and name."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found, and what of it is taken on."""

    dangerous: tuple[Finding, ...]
    acknowledged: tuple[Finding, ...]


def look(inputs: Inputs, before: Before, today: date) -> Looked:
    """Every change of a repository that lints clean. Environments and names that are not in `before` are new."""
    platform = check_platform(load(inputs.platform))
    files = {True: {inputs.platform.name: Checked()}, False: {inputs.platform.name: Checked()}}
    there: set[str] = set()
    for file in inputs.specs:
        document = load(file)
        there.add(document.data["name"])
        taken_on = promises(document)
        for environment, found in _of_spec(document, platform, before):
            kept = files[_is_taken_on(found, "", taken_on, today)].setdefault(file.name, Checked())
            kept.add(environment, [found])
    taken_on = removals(platform.document)
    for environment, name, found in _removed(platform, there, before) if inputs.whole else ():
        kept = files[_is_taken_on(found, name, taken_on, today)][inputs.platform.name]
        kept.add(environment, [found])
    environments = tuple(before)
    told = {yes: tuple(settle(checked, environments, today, whole=False)) for yes, checked in files.items()}
    return Looked(told[False], told[True])


def _of_spec(document: Document, platform: PlatformFile, before: Before) -> Iterator[tuple[str, Found]]:
    kind = kinds()[document.data["kind"]]
    model = platform.model
    for environment, specs in before.items():
        was = specs.get(document.data["name"])
        if model is None or environment not in model.environments or not isinstance(was, kind.model):
            continue
        layers = layered(kind, document, platform.document, environment)
        spec = kind.model.model_validate(layers.data)
        around = model.environments[environment]
        subject = Subject(spec, environment, around, platform.document, layers, lambda _: None)
        for name, rule in catalogue().items():
            if rule.scope == "change" and rule.check and rule.module.startswith(kind.rules):
                hint = _hint(f"{{change: {rule.acknowledged_as}, reason: <why>, until: <day>}}", document.file)
                yield from (
                    (environment, one._replace(rule=name, hint=hint)) for one in rule.check(Changed(was, subject))
                )


def _removed(platform: PlatformFile, there: set[str], before: Before) -> Iterator[tuple[str, str, Found]]:
    known = platform.model.environments if platform.model else {}
    file = platform.document.file
    for environment, specs in before.items():
        if environment not in known:
            says = f"`{environment}` is not here any more, and {len(specs)} of its pipelines are removed"
            hint = _hint(f"{{change: remove-environment, name: {environment}, reason: <why>, until: <day>}}", file)
            at = platform.document.nearest(("environments",))
            yield environment, environment, Found("environment-removed", at, says, hint)
            continue
        for name in specs.keys() - there:
            says = f"`{name}` has no spec any more, and what was generated for it is removed"
            hint = _hint(f"{{change: remove-pipeline, name: {name}, reason: <why>, until: <day>}}", file)
            at = platform.document.nearest(("environments", environment))
            yield environment, name, Found("pipeline-removed", at, says, hint)


def _hint(item: str, file: str) -> str:
    return f"when that is safe, add `{item}` to `acknowledge` in {file}"


def _is_taken_on(found: Found, name: str, taken_on: list[Promise], today: date) -> bool:
    change = catalogue()[found.rule].acknowledged_as
    return any(one.change == change and one.name == name and today <= one.until for one in taken_on)
