"""Make docs/reference/artifacts.md from the catalogues of generated files, and by changing each field of a spec."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import yaml

from penstock_generate.catalogue import CatalogueEntry
from penstock_generate.environment import catalogue as of_environment
from penstock_generate.explaining.affected_files import AffectedFiles, affected_files
from penstock_generate.incremental.folders import all_folders
from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.inputs.source import Selection, Source, read_source
from penstock_generate.kinds import catalogue_of
from penstock_generate.rendering.artifact import ENVIRONMENT_FOLDER, REPOSITORY_FOLDERS
from penstock_generate.repository import catalogue as of_repository
from penstock_spec.fields import fields_of, parts_in
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds import kinds
from penstock_spec.linting import lint
from penstock_spec.linting.check import resolve
from penstock_spec.model import Section, key_of
from penstock_spec.reading import read as read_document
from penstock_spec.reference.full import full
from penstock_spec.repository import open_repository

DATA = Path("tools/artifacts.yaml")
PAGE = "docs/reference/artifacts.md"
ENVIRONMENT = "production"
WORKER = "worker.json"
VALUES = "values.yaml"
DEPLOYMENT = "manifests/deployment.yaml"
INTRODUCTION = """\
<!-- Made by `make generate` from the code. -->

# Generated files

`penstock generate` writes these files. [The tour](../explanation/generated.md) explains those of one pipeline. Below
`generated/`, each spec has a folder in each environment, each environment has a folder of its own, and the repository
has three.
"""
FIELDS = """\
## Which field changes what

Each field of a spec, with the files that change when its value changes. The table is made by changing each field, as
`penstock explain FILE:LINE` does for one line. It omits what follows from these rules:

{repeats}
- `values.yaml` changes with every manifest.
- The Deployments of the pods and of their janitor contain digests of `worker.json`, and change with it.

The column **pods** shows whether the Deployment changes, which restarts the pods. `environments` changes the same files
as the fields at its paths, and `message.schema.file` of a pipeline the same as `message.schema`.
"""
TABLE = """
### Of a {kind}

| field | pods | files |
|---|---|---|
"""
NOTHING = "\nNo file changes with {fields}.\n"


def pages(root: Path = Path(__file__).parents[1]) -> dict[str, str]:
    """The page by its path."""
    source = source_of(root)
    lines = [INTRODUCTION, *_tables(source), FIELDS.format(repeats="\n".join(_repeats()))]
    for kind in kinds():
        table = fields(root, source, kind)
        idle = ", ".join(f"`{field}`" for field, files in table.items() if not files)
        lines[-1] += TABLE.format(kind=kind) + "".join(rows(table, kind)) + NOTHING.format(fields=idle)
    return {PAGE: "\n".join(lines)}


def full_specs(root: Path) -> dict[str, Any]:
    """The differences of a full spec of each kind to the examples of its fields."""
    specs: dict[str, Any] = yaml.safe_load((root / DATA).read_text(encoding="utf-8"))
    return specs


def source_of(root: Path) -> Source:
    """The specs of this repository."""
    source = read_source(open_repository((), None, root), Selection(), datetime.now(UTC).date())
    if not isinstance(source, Source):
        raise SystemExit("error: the specs have errors\nhint: run `penstock lint`")
    return source


def made(source: Source) -> dict[str, dict[str, str]]:
    """For each kind, the environment and the repository: its files, each with the template or module that made it."""
    makers: dict[str, dict[str, str]] = defaultdict(dict)
    data = [lint.load(file).data for file in source.inputs.specs]
    kind_of = {one["name"]: one["kind"] for one in data} | {ENVIRONMENT_FOLDER: "environment"}
    for folder in all_folders(source):
        whose = "repository" if folder.name in REPOSITORY_FOLDERS else kind_of[folder.name.partition("/")[2]]
        for one in folder.artifacts:
            below = one.path if whose == "repository" else one.path.removeprefix(f"{folder.name}/")
            makers[whose][below] = one.maker
    return makers


def catalogues() -> dict[str, tuple[CatalogueEntry, ...]]:
    """The catalogues of the kinds, the environment and the repository."""
    of_kinds = {kind: catalogue_of(kind) for kind in kinds()}
    return {**of_kinds, "environment": of_environment.FILES, "repository": of_repository.FILES}


def fields(root: Path, source: Source, kind: str) -> AffectedFiles:
    """The files that change with each field of a kind."""
    data = full_specs(root).get(kind, {})
    spec = _filled(kinds()[kind].model, data.get("spec", {}))
    affected: dict[str, set[str]] = {}
    for otherwise in ({}, *data.get("otherwise", ())):
        it = _planned(root, source, spec, otherwise)
        for field, files in affected_files(it, source.templates, tuple(otherwise) or ("",)).items():
            affected.setdefault(field, set()).update(files)
    order = [one.path for one in fields_of(kinds()[kind].model)]
    return {field: frozenset(affected[field]) for field in sorted(affected, key=order.index)}


def _filled(model: type[Section], data: dict[str, Any]) -> dict[str, Any]:
    """The data with the example of each field that is missing from it."""
    examples = full(model)[0]
    for name, info in model.model_fields.items():
        key = key_of(name, info)
        sections = list(parts_in(info.annotation))
        if key not in data:
            data[key] = examples[key]
        elif len(sections) == 1 and isinstance(data[key], dict):
            section, suffix = sections[0]
            if suffix == ".*":
                data[key] = {chosen: _filled(section, inner) for chosen, inner in data[key].items()}
            elif data[key].keys() <= examples[key].keys():  # else it is another choice, such as a JSON Schema
                data[key] = _filled(section, data[key])
    return data


def _planned(root: Path, source: Source, spec: dict[str, Any], otherwise: dict[str, Any]) -> PlannedSpec:
    text = yaml.safe_dump({**spec, "environments": {ENVIRONMENT: otherwise}}, default_flow_style=None)
    model, layers = resolve(
        kinds()[spec["kind"]], read_document(DATA.name, text.encode()), source.platform, ENVIRONMENT
    )
    return PlannedSpec(ENVIRONMENT, source.model.environments[ENVIRONMENT], model, layers, root / "specs")


def shown(files: Iterable[str], kind: str) -> list[str]:
    """The files without those that change with another one anyway."""
    changed, same = set(files), {path: one.same_as for one in catalogue_of(kind) for path in one.paths}
    implied = {DEPLOYMENT, f"{ENVIRONMENT_FOLDER}/{DEPLOYMENT}"} if WORKER in changed else set[str]()
    return [one for one in _ordered(changed, kind) if one not in {VALUES, *implied} and same.get(one) not in changed]


def _ordered(files: set[str], kind: str) -> list[str]:
    known = [path for one in catalogue_of(kind) for path in one.paths]
    return [*(name for name in known if name in files), *sorted(files.difference(known))]


def rows(table: Mapping[str, frozenset[str]], kind: str) -> Iterator[str]:
    """A row for neighbouring fields that change the same files."""
    fields_with_files = (
        (field, DEPLOYMENT in files, tuple(shown(files, kind))) for field, files in table.items() if files
    )
    for (pods, files), group in groupby(fields_with_files, key=itemgetter(1, 2)):
        names = ", ".join(f"`{field}`" for field, _, _ in group)
        yield f"| {names} | {'yes' if pods else 'no'} | {', '.join(f'`{name}`' for name in files)} |\n"


def _repeats() -> Iterator[str]:
    same = {one.paths[0]: one.same_as for kind in kinds() for one in catalogue_of(kind) if one.same_as}
    yield from (f"- `{name}` changes with `{other}`." for name, other in same.items())


def _tables(source: Source) -> Iterator[str]:
    titles = {
        "environment": f"For an environment\n\nBelow `generated/<environment>/{ENVIRONMENT_FOLDER}/`.",
        "repository": "For the repository\n\nBelow `generated/`.",
    }
    makers = made(source)
    for whose, catalogue in catalogues().items():
        if whose not in makers:
            raise CannotGoOn(f"the kind `{whose}` has no example", "add a spec of this kind to `specs/`")
        of_kind = f"For a {whose}\n\nBelow `generated/<environment>/<name>/`."
        yield f"## {titles.get(whose, of_kind)}\n\n| file | content | read by | made by |\n|---|---|---|---|"
        for one in catalogue:
            by = _maker(sorted({makers[whose][path] for path in one.paths}))
            yield f"| {', '.join(f'`{path}`' for path in one.paths)} | {one.what} | {one.readers} | {by} |"
        yield ""


def _maker(makers: list[str]) -> str:
    """A link to the template or the folder of several, or the name of a module."""
    maker = makers[0] if len(makers) == 1 else makers[0].rpartition("/")[0]
    return f"[`{maker}`](../../{maker})" if maker.startswith("templates/") else f"`{maker}`"
