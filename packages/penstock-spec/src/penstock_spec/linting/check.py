"""Check one spec or the platform file. Pure: the caller passes everything that comes from disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import ValidationError

from penstock_spec import rules
from penstock_spec.catalogue import catalogue
from penstock_spec.context import EnvironmentContext, SpecContext, SpecFacts, steps
from penstock_spec.fields import nearest
from penstock_spec.findings import Finding, Span
from penstock_spec.kinds import Kind, kinds
from penstock_spec.layers import Layers, Source, layered
from penstock_spec.linting import acknowledgements, overrides, suppressions
from penstock_spec.linting.checked import CheckedFile
from penstock_spec.linting.items import items
from penstock_spec.linting.shape import ShapeCheck
from penstock_spec.linting.suggestions import kind_of
from penstock_spec.manifest_templates import ManifestTemplates
from penstock_spec.model import Section
from penstock_spec.platform import FOREIGN, Platform
from penstock_spec.reading import Document, Path, Problem, first
from penstock_spec.rules.define import Scope
from penstock_spec.sections import Suppression

LONGEST = 1000
"""The maximum length of a text in a finding, because it can quote any part of a file."""

EVERY_KIND = rules.__name__
"""The package of rules for specs of every kind."""

Beside = Callable[[str], bytes | None]
"""Reads a file that a spec names, by its path relative to the spec."""


@dataclass(frozen=True, slots=True)
class PlatformFile:
    """The platform file. `model` is None if it is invalid."""

    document: Document
    model: Platform | None
    checked: CheckedFile

    def subjects(self, environments: Iterable[str]) -> list[EnvironmentContext]:
        """The contexts of its environments, for rules."""
        if self.model is None:
            return []
        every = self.model.environments
        return [
            EnvironmentContext(self.model, name, every[name], self.document) for name in environments if name in every
        ]


def check_platform(document: Document) -> PlatformFile:
    """Check the shape of the platform file and the paths of its defaults. Rules about environments run later."""
    checked = CheckedFile()
    init = "write the environments into it, as `penstock init` does"
    checked.add("", (one._replace(hint=init) if one.rule == "empty-file" else one for one in document.problems))
    if not isinstance(document.data, dict):
        _not_a_mapping(document, checked, "platform")
        return PlatformFile(document, None, checked)
    broken = _broken(document)
    try:
        model = Platform.model_validate(document.data)
    except ValidationError as error:
        name_at, text = _name_in(document), _text_of(document)
        found = ShapeCheck(Platform, document.data, document.nearest, name_at, FOREIGN, text, document.data).deviations(
            error
        )
        checked.add("", [one for one in found if one.path not in broken])
        return PlatformFile(document, None, checked)
    if any(one.rule != "byte-order-mark" for one in document.problems):
        return PlatformFile(document, None, checked)
    bases: list[Path] = [("defaults",), *(("environments", name, "defaults") for name in model.environments)]
    checked.add("", first(one for base in bases for one in overrides.unknown(document, base, None)))
    _add_suppressions(model.suppress, document, Platform, checked)
    checked.acknowledgements += acknowledgements.of_platform(document)
    return PlatformFile(document, model, checked)


Resolved = dict[str, tuple[Any, Layers]]
"""The model of a spec with the sources of its values, by environment."""


def check_spec(
    document: Document,
    platform: PlatformFile,
    environments: tuple[str, ...],
    beside: Beside,
    templates: ManifestTemplates | None = None,
) -> CheckedFile:
    """One spec in each of these environments."""
    return check_and_resolve(document, platform, environments, beside, templates)[0]


def check_and_resolve(
    document: Document,
    platform: PlatformFile,
    environments: tuple[str, ...],
    beside: Beside,
    templates: ManifestTemplates | None,
) -> tuple[CheckedFile, Resolved]:
    """The same, with the model of the spec in each environment where it has the right shape."""
    checked, resolved = CheckedFile(), Resolved()
    checked.add("", document.problems)
    if not isinstance(document.data, dict):
        _not_a_mapping(document, checked, "pipeline")
        return checked, resolved
    kind = _kind(document, checked)
    if kind is None:
        return checked, resolved
    usable, misplaced = overrides.checked(document, kind, platform.model)
    checked.add("", misplaced)
    broken = _broken(document)
    for environment in environments if platform.model else ():
        layers = layered(kind, document if usable else _without_overrides(document), platform.document, environment)
        checked.add(environment, layers.problems)
        spec = _shaped(kind, layers, broken, environment, checked)
        if spec is None or platform.model is None:
            continue
        around = platform.model.environments[environment]
        subject = SpecContext(spec, environment, around, platform.document, layers, beside, templates)
        for name, check in _rules_of(kind.rules):
            checked.problems += [(environment, one._replace(rule=name)) for one in check(subject)]
        checked.facts.append(facts_of(kind, subject))
        resolved[environment] = spec, layers
    if not platform.model or not environments:
        alone = layered(kind, _without_overrides(document), Document("", ()), "")
        _shaped(kind, alone, broken, "", checked)
    _add_suppressions(items(document, "suppress", Suppression), document, kind.model, checked)
    checked.acknowledgements += acknowledgements.of_spec(document)
    return checked, resolved


@cache
def _rules_of(package: str) -> tuple[tuple[str, Callable[[Any], Iterable[Problem]]], ...]:
    """The rules for one spec of the kind whose own rules are in this package."""
    known = (
        (name, rule) for name, rule in catalogue().items() if rule.module.startswith((f"{package}.", f"{EVERY_KIND}."))
    )
    return tuple((name, rule.check) for name, rule in known if rule.scope == "spec" and rule.check)


def resolve(kind: Kind, document: Document, platform: PlatformFile, environment: str) -> tuple[Any, Layers]:
    """The model of a valid spec in an environment."""
    layers = layered(kind, document, platform.document, environment)
    return kind.model.model_validate(layers.data), layers


def run(scope: Scope, subject: object) -> Iterable[Problem]:
    """Run all rules of a scope."""
    for name, rule in catalogue().items():
        if rule.scope == scope and rule.check:
            yield from (one._replace(rule=name) for one in rule.check(subject))


def finding(found: Problem, environments: tuple[str, ...]) -> Finding:
    """Add the severity and the title of the rule."""
    rule = catalogue()[found.rule]
    says, hint, path = (text if len(text) <= LONGEST else f"{text[:LONGEST]}..." for text in found[2:])
    return Finding(rule.name, rule.severity, rule.title, found.at, says, hint, environments, path)


def facts_of(kind: Kind, subject: SpecContext[Any]) -> SpecFacts:
    """The facts of a spec for rules across specs."""
    values: dict[str, Any] = {}
    for path in kind.exposed:
        value: Any = subject.layers.data
        for step in steps(path):
            value = value.get(step) if isinstance(value, dict) else None
        values[path] = value if value is not None else _default(subject.spec, path)
    values |= kind.facts(subject)
    values["connections"] = kind.connections(subject.spec)
    places = {path: tuple(subject.at(path)) for path in values}
    return SpecFacts(kind.name, subject.file, subject.environment, values, places)


def _default(spec: Any, path: str) -> Any:  # noqa: ANN401 - any field of any model
    for step in path.split("."):
        spec = getattr(spec, step)
    return spec if isinstance(spec, (str, int, float, bool, type(None))) else str(spec)


def _shaped(kind: Kind, layers: Layers, broken: frozenset[str], environment: str, checked: CheckedFile) -> Any:  # noqa: ANN401 - as above
    try:
        return kind.model.model_validate(layers.data)
    except ValidationError as error:

        def name_at(path: Path) -> Span:
            place = layers.place(path)
            return place.name if place and path else layers.at(path)

        text = _text_of(layers.document, *(one.document for one in layers.overlays if one.document))
        found = ShapeCheck(
            kind.model, layers.data, layers.at, name_at, kind.foreign_fields, text, layers.document.data
        ).deviations(error)
        checked.add(
            environment, [one for one in found if not _inside(one.path, broken) and not _follows(one.path, layers)]
        )
        return None


def _broken(document: Document) -> frozenset[str]:
    """Paths with unreadable values; further errors at these paths are not reported."""
    return frozenset(one.path for one in document.problems if one.path and one.rule != "duplicate-key")


def _inside(path: str, broken: frozenset[str]) -> bool:
    return any(path == one or path.startswith((f"{one}.", f"{one}[")) for one in broken)


def _follows(path: str, layers: Layers) -> bool:
    """Whether this value is derived; then the error is in the values that it depends on."""
    return bool(path) and layers.source(steps(path)) is Source.DERIVED


def _name_in(document: Document) -> Callable[[Path], Span]:
    def name_at(path: Path) -> Span:
        place = document.places.get(path)
        return place.name if place and path else document.nearest(path)

    return name_at


def _text_of(*documents: Document) -> Callable[[Span], str]:
    lines = {document.file: document.lines for document in documents if document.lines}

    def text(at: Span) -> str:
        """The text of the span in its first line."""
        line = lines[at.file][at.line - 1] if at.file in lines else ""
        return line[at.column - 1 : at.end_column - 1 if at.end_line == at.line else None]

    return text


def _not_a_mapping(document: Document, checked: CheckedFile, kind: str) -> None:
    readable = all(one.rule == "byte-order-mark" for one in document.problems)
    if readable or document.data is not None:
        says = f"the file contains {kind_of(document.data)}, not fields"
        checked.add("", [Problem("not-a-spec", document.start, says, f"start it with `kind: {kind}`")])


def _kind(document: Document, checked: CheckedFile) -> Kind | None:
    name = document.data.get("kind")
    known = kinds()
    if isinstance(name, str) and name in known:
        return known[name]
    names = " or ".join(f"`{one}`" for one in known)
    if "kind" not in document.data:
        says = "`kind` is required, and has no default"
        checked.add("", [Problem("missing-field", document.start, says, "add it, such as `kind: pipeline`", "kind")])
    elif not _inside("kind", _broken(document)):
        close = nearest(str(name), list(known))
        says = f"{kind_of(name).removeprefix('the text ')} is not a kind of spec"
        hint = f"write `{close}`" if close else f"write {names}"
        if name == "platform":
            hint = f"put it into the platform file, or write {names}"
        checked.add("", [Problem("unknown-kind", document.nearest(("kind",)), says, hint, "kind")])
    return None


def _without_overrides(document: Document) -> Document:
    data = {key: value for key, value in document.data.items() if key != "environments"}
    return Document(document.file, document.lines, data, document.places, document.problems)


def _add_suppressions(found: list[Suppression], document: Document, model: type[Section], checked: CheckedFile) -> None:
    placed, invalid = suppressions.placed(found, document, model)
    checked.suppressions += placed
    checked.add("", invalid)
