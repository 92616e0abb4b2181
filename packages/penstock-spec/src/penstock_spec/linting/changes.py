"""Compare a repository with its previous state: changes that can lose messages, and their acknowledgements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from penstock_spec.catalogue import catalogue
from penstock_spec.context import ChangeContext, SpecContext
from penstock_spec.findings import Finding
from penstock_spec.kinds import kinds
from penstock_spec.layers import layered
from penstock_spec.linting import acknowledgements
from penstock_spec.linting.acknowledgements import AcknowledgementAt
from penstock_spec.linting.check import PlatformFile
from penstock_spec.linting.checked import CheckedFile
from penstock_spec.linting.lint import merge_findings
from penstock_spec.model import Section
from penstock_spec.reading import Document, Problem
from penstock_spec.values.display import many

Before = Mapping[str, Mapping[str, Section]]
"""Previous specs by environment and name."""


@dataclass(frozen=True, slots=True)
class ChangeFindings:
    """Dangerous changes, and those of them that are acknowledged."""

    dangerous: tuple[Finding, ...]
    acknowledged: tuple[Finding, ...]


def check_changes(
    platform: PlatformFile, documents: Iterable[Document], current: Collection[str], before: Before, today: date
) -> ChangeFindings:
    """Check the changes of specs without findings. Specs in `before` whose names are not in `current` are removed."""
    file = platform.document.file
    files: dict[bool, dict[str, CheckedFile]] = {True: {file: CheckedFile()}, False: {file: CheckedFile()}}
    for document in documents:
        accepted = acknowledgements.of_spec(document)
        for environment, found in _of_spec(document, platform, before):
            kept = files[_is_acknowledged(found, "", accepted, today)].setdefault(document.file, CheckedFile())
            kept.add(environment, [found])
    accepted = acknowledgements.of_platform(platform.document)
    for environment, name, found in _removed(platform, current, before):
        files[_is_acknowledged(found, name, accepted, today)][file].add(environment, [found])
    environments = tuple(before)
    merged = {
        yes: tuple(merge_findings(checked, environments, today, complete=False)) for yes, checked in files.items()
    }
    return ChangeFindings(merged[False], merged[True])


def _of_spec(document: Document, platform: PlatformFile, before: Before) -> Iterator[tuple[str, Problem]]:
    kind = kinds()[document.data["kind"]]
    model = platform.model
    for environment, specs in before.items():
        was = specs.get(document.data["name"])
        if model is None or environment not in model.environments or not isinstance(was, kind.model):
            continue
        layers = layered(kind, document, platform.document, environment)
        spec = kind.model.model_validate(layers.data)
        around = model.environments[environment]
        subject = SpecContext(spec, environment, around, platform.document, layers, lambda _: None)
        for name, rule in catalogue().items():
            if rule.scope == "change" and rule.check and rule.module.startswith(kind.rules):
                hint = _hint(f"{{change: {rule.acknowledged_as}, reason: <why>, until: <day>}}", document.file)
                yield from (
                    (environment, one._replace(rule=name, hint=hint)) for one in rule.check(ChangeContext(was, subject))
                )


def _removed(platform: PlatformFile, current: Collection[str], before: Before) -> Iterator[tuple[str, str, Problem]]:
    known = platform.model.environments if platform.model else {}
    file = platform.document.file
    for environment, specs in before.items():
        if environment not in known:
            says = f"`{environment}` is no longer in the platform file, which removes {many(len(specs), 'spec')}"
            hint = _hint(f"{{change: remove-environment, name: {environment}, reason: <why>, until: <day>}}", file)
            at = platform.document.nearest(("environments",))
            yield environment, environment, Problem("environment-removed", at, says, hint)
            continue
        for name in sorted(specs.keys() - set(current)):
            says = f"`{name}` no longer has a spec, which removes its generated files"
            hint = _hint(f"{{change: remove-pipeline, name: {name}, reason: <why>, until: <day>}}", file)
            at = platform.document.nearest(("environments", environment))
            yield environment, name, Problem("pipeline-removed", at, says, hint)


def _hint(item: str, file: str) -> str:
    return f"if that is safe, add `{item}` to `acknowledge` in {file}"


def _is_acknowledged(found: Problem, name: str, accepted: list[AcknowledgementAt], today: date) -> bool:
    change = catalogue()[found.rule].acknowledged_as
    return any(one.change == change and one.name == name and today <= one.until for one in accepted)
