"""`penstock explain` names the origin of every generated line."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

import pytest

from penstock_generate.explaining.explain import explain
from penstock_generate.explaining.inputs import inputs_of
from penstock_generate.explaining.template_lines import Marks, places, without
from penstock_generate.incremental.folders import all_folders
from penstock_generate.inputs.source import Selection, Source, read_source
from penstock_generate.rendering.templates import Templates
from penstock_spec.reading.source import LARGEST
from penstock_spec.repository import open_repository

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def generated(repository: Path, penstock: Run) -> Path:
    assert penstock("generate").returncode == 0
    return repository / "generated"


def line_of(file: Path, text: str) -> int:
    """The number of the first line that contains a text; `$` is the end of the line."""
    return next(number for number, line in enumerate(file.read_text().splitlines(), 1) if text in f"{line}$")


class LineOrigin(NamedTuple):
    """A line of a manifest, its field, the text where that is written, and the template."""

    file: str
    text: str
    field: str
    written: str
    template: str


@pytest.mark.parametrize(
    "origin",
    [
        LineOrigin(
            "scaledobject.yaml",
            "maxReplicaCount",
            "scaling.replicas.max",
            "{min: 50",
            "pipeline/manifests/scaledobject.yaml",
        ),
        LineOrigin("deployment.yaml", "terminationGracePeriod", "shutdown.grace", "grace: 1h", "pods/deployment.yaml"),
        LineOrigin("deployment.yaml", "image: ", "image", "image: registry", "pods/deployment.yaml"),
        LineOrigin(
            "configmap.yaml", "namespace: ", "environments.production.namespace", "namespace: pipelines$", "pods/_parts"
        ),
        LineOrigin("podmonitor.yaml", "/team:", "owner.team", "owner: ", "pods/_parts"),
    ],
    ids=lambda one: one.field,
)
def test_a_value_is_traced_to_its_field_and_template(
    repository: Path, generated: Path, penstock: Run, origin: LineOrigin
) -> None:
    there = generated / "production/agent-queue/manifests" / origin.file
    name = f"generated/production/agent-queue/manifests/{origin.file}:{line_of(there, origin.text)}"
    ran = penstock("explain", name)
    assert (ran.returncode, ran.stderr) == (0, "")
    first, value, *_ = ran.stdout.splitlines()
    assert origin.text.strip() in first
    source = repository / ("penstock.yaml" if origin.field.startswith("environments") else "specs/agent-queue.yaml")
    what, at, field = value.split()
    assert (what, field) == ("value", origin.field)
    assert at.startswith(f"{source.relative_to(repository)}:{line_of(source, origin.written)}:")
    assert f"made by   Penstock's template {origin.template}.j2:" in ran.stdout


def test_a_line_that_is_the_same_for_all_specs(root: Path, generated: Path, penstock: Run) -> None:
    template = root / "templates/pods/_parts.j2"
    there = generated / "dev/jobs/manifests/deployment.yaml"
    ran = penstock("explain", f"generated/dev/jobs/manifests/deployment.yaml:{line_of(there, 'readOnlyRootFile')}")
    assert "the same for all specs" in ran.stdout
    assert f"pods/_parts.j2:{line_of(template, 'readOnlyRootFile')}\n" in ran.stdout


def test_lines_of_large_files_are_explained(generated: Path, penstock: Run) -> None:
    """A generated file may be larger than a spec may be."""
    file = generated / "schemas/platform.schema.json"
    assert file.stat().st_size > LARGEST
    ran = penstock("explain", f"generated/schemas/platform.schema.json:{len(file.read_text().splitlines())}")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "made by   penstock_spec.json_schema\n" in ran.stdout


def test_a_line_that_exists_because_of_a_field(generated: Path, penstock: Run) -> None:
    """Its text is from the template, but the field decides whether it exists."""
    there = generated / "production/agent-queue/manifests/deployment.yaml"
    where = f"generated/production/agent-queue/manifests/deployment.yaml:{line_of(there, 'REDIS_PASSWORD_FILE')}"
    assert "environments.production.redis.auth" in penstock("explain", where).stdout


def test_an_override_is_named_as_the_origin(generated: Path, penstock: Run) -> None:
    there = generated / "dev/agent-queue/manifests/scaledobject.yaml"
    where = f"generated/dev/agent-queue/manifests/scaledobject.yaml:{line_of(there, 'maxReplicaCount')}"
    assert "specs/agent-queue.yaml:84:" in penstock("explain", where).stdout


def test_lines_of_a_repositorys_own_template(repository: Path, penstock: Run) -> None:
    own = repository / "templates/pipeline/manifests/serviceaccount.yaml.j2"
    own.parent.mkdir(parents=True)
    own.write_text(
        "kind: ServiceAccount\n{% if true -%}\n\n\napiVersion: v1\n{%- endif %}\nname: {{ spec.name | y }}\n"
    )
    assert penstock("generate").returncode == 0
    for line, template in ((2, 1), (3, 5), (4, 7)):
        ran = penstock("explain", f"generated/dev/jobs/manifests/serviceaccount.yaml:{line}")
        assert ran.stdout.endswith(f"made by   templates/pipeline/manifests/serviceaccount.yaml.j2:{template}\n")


def test_a_line_of_a_patch(root: Path, repository: Path, penstock: Run) -> None:
    """The other lines of the file come from the template."""
    spec = repository / "specs/jobs.yaml"
    patch = "{target: Deployment, op: add, path: /spec/template/spec/nodeSelector, value: {disk: fast}, reason: disks}"
    spec.write_text(spec.read_text() + f"\npatches: [{patch}]\n")
    assert penstock("generate").returncode == 0
    there = repository / "generated/dev/jobs/manifests/deployment.yaml"
    where = "generated/dev/jobs/manifests/deployment.yaml"
    ran = penstock("explain", f"{where}:{line_of(there, 'disk: fast')}")
    assert "patches[0].value.disk" in ran.stdout
    assert "deployment.yaml.j2, patched" in ran.stdout
    ran = penstock("explain", f"{where}:{line_of(there, 'revisionHistoryLimit')}")
    template = root / "templates/pods/deployment.yaml.j2"
    assert f"deployment.yaml.j2:{line_of(template, 'revisionHistoryLimit')}\n" in ran.stdout


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("generated/dev/jobs/rules.yaml", "has no line number"),
        ("generated/dev/jobs/rules.yaml:0", "has "),
        ("generated/dev/jobs/rules.yaml:99999", "has "),
        ("generated/dev/jobs/rules.yaml:1", "is its header"),
        ("generated/dev/jobs/nothing.yaml:1", "cannot be read"),
        ("generated/dev/jobs/mine.txt:1", "is not generated"),
        ("generated/dev/unknown/mine.txt:1", "follows from no spec"),
        ("generated/dev/jobs/FILES:2", "only lists the files of its folder"),
        ("generated/schemas/FILES:2", "only lists the files of its folder"),
        ("specs/jobs.yaml:1", "is not in `generated/`"),
        ("generated/dev/jobs/worker.json:2", "is not up to date"),
    ],
)
def test_an_unexplainable_place_is_refused(generated: Path, penstock: Run, place: str, message: str) -> None:
    for name in ("jobs", "unknown"):
        (generated / f"dev/{name}").mkdir(exist_ok=True)
        (generated / f"dev/{name}/mine.txt").write_text("mine\n")
    worker = generated / "dev/jobs/worker.json"
    worker.write_text(worker.read_text() + "\n{}")
    ran = penstock("explain", place)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "hint: " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_marks_do_not_change_the_rendered_text(repository: Path) -> None:
    """With marks, every template renders the same text, and each line has a place."""
    source = read_source(open_repository((), None, repository), Selection(("production",)), date(2026, 1, 1))
    assert isinstance(source, Source)
    marked = Templates(None, [Marks])
    seen = 0
    for folder in all_folders(source):
        subject = inputs_of(source, f"{folder.name}/x")
        unpatched = {one.path: one for one in subject.unpatched(source.templates)}
        for one in subject.unpatched(marked):
            if one.maker.startswith("templates/") and not one.copied:
                assert without(one.content) == unpatched[one.path].content
                assert "" not in places(one.content)
                seen += 1
    assert seen > 40


@pytest.mark.parametrize("name", ["dev/jobs/worker.json", "dev/jobs/values.yaml", "schemas/pipeline.schema.json"])
def test_every_line_has_an_origin(repository: Path, name: str) -> None:
    source = read_source(open_repository((), None, repository), Selection(), date(2026, 1, 1))
    assert isinstance(source, Source)
    made = {one.path: one for folder in all_folders(source) for one in folder.artifacts}
    content = made[name].content
    lines = content.splitlines()
    for number in range(2, len(lines), max(1, len(lines) // 5)):
        assert explain(source, name, content, number).maker
