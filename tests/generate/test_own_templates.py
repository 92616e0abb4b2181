"""Rules, simulations, `penstock dev` and the generated file use the same ScaledObject, even from an own template."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import Environment, meta

from penstock.own_templates import own_templates, read_inputs
from penstock_dev.running.pipeline import PipelineWorkload
from penstock_dev.running.spec_loader import SpecLoader, SpecSelection
from penstock_dev.simulating.specs import ValidSpecs, read
from penstock_generate.own_templates import BUILT_IN, NAMES
from penstock_scaling import settings_of
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.repository import open_repository

Run = Callable[..., subprocess.CompletedProcess[str]]

TEMPLATE = "pipeline/manifests/scaledobject.yaml.j2"
SPEC = "specs/media-cluster.yaml"


@pytest.fixture
def own(repository: Path) -> Callable[[str], Path]:
    """Overrides the template of the ScaledObject with this section `spec`."""

    def own(section: str) -> Path:
        file = repository / "templates" / TEMPLATE
        file.parent.mkdir(parents=True, exist_ok=True)
        head = (BUILT_IN / TEMPLATE).read_text().partition("spec:{{")[0]
        file.write_text(f"{head}{section}")
        return file

    return own


def changed(**fields: str) -> str:
    """The built-in section with other fields."""
    kept = "{% for key, value in scaled_object.spec.items() if key not in [" + ", ".join(map(json.dumps, fields))
    lines = [kept + "] %}", "  {{ key | y }}:{{ value | block(4) }}", "{% endfor %}"]
    return "spec:\n" + "\n".join([*lines, *(f"  {key}: {value}" for key, value in fields.items())]) + "\n"


def findings(penstock: Run) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = json.loads(penstock("lint", "--format", "json").stdout)["findings"]
    return result


def emitted(repository: Path, environment: str = "production") -> Any:  # noqa: ANN401 - a manifest
    file = repository / f"generated/{environment}/media-cluster/manifests/scaledobject.yaml"
    return yaml.safe_load(file.read_text())


@pytest.mark.parametrize(
    ("fields", "rule", "field"),
    [
        ({"pollingInterval": "fast"}, "patch-of-wrong-type", "scaling.poll"),
        (
            {"fallback": "{failureThreshold: 3, replicas: 0}"},
            "fallback-to-zero",
            "scaling.fallback.replicas",
        ),
        ({"minReplicaCount": "100"}, "min-above-max", "scaling.replicas.min"),
        ({"idleReplicaCount": "7"}, "idle-not-below-min", "scaling"),
        ({"pollinterval": "7"}, "patch-goes-nowhere", "scaling"),
        (
            {"triggers": '[{type: redis, name: depth, metadata: {address: "redis:6379", listName: x}}]'},
            "formula-names-no-trigger",
            "stream.retention.keep",
        ),
    ],
)
def test_rules_see_what_an_own_template_sets(
    own: Callable[[str], Path], penstock: Run, fields: dict[str, str], rule: str, field: str
) -> None:
    """The finding is at the field that would set the value, and its hint names the line of the template."""
    file = own(changed(**fields))
    line = next(
        number for number, text in enumerate(file.read_text().splitlines(), 1) if f"  {next(iter(fields))}:" in text
    )
    by_rule = [one for one in findings(penstock) if one["rule"] == rule and one["file"] == SPEC]
    assert by_rule, findings(penstock)
    assert {one["path"] for one in by_rule} == {field}
    assert {one["hint"] for one in by_rule} == {f"change templates/{TEMPLATE}:{line}, which overrides the spec here"}


def test_a_finding_of_a_template_can_be_suppressed(own: Callable[[str], Path], repository: Path, penstock: Run) -> None:
    own(changed(fallback="{failureThreshold: 3, replicas: 0}"))
    spec = repository / SPEC
    accepted = "suppress: [{rule: fallback-to-zero, reason: a trial, until: 2026-03-01}]\n"
    assert "\nsuppress:" not in spec.read_text()
    spec.write_text(spec.read_text() + accepted)
    assert not [one for one in findings(penstock) if one["rule"] == "fallback-to-zero" and one["file"] == SPEC]


def test_a_value_that_the_template_keeps_is_reported_at_the_spec(
    own: Callable[[str], Path], repository: Path, penstock: Run
) -> None:
    spec = repository / SPEC
    spec.write_text(re.sub(r"min: \d+", "min: 500", spec.read_text(), count=1))
    before = [one for one in findings(penstock) if one["rule"] == "min-above-max"]
    own(changed(cooldownPeriod="600"))
    assert before
    assert [one for one in findings(penstock) if one["rule"] == "min-above-max"] == before


def test_a_patch_of_a_templates_value_is_reported_at_the_patch(
    own: Callable[[str], Path], repository: Path, penstock: Run
) -> None:
    own(changed(pollingInterval="30"))
    spec = repository / SPEC
    patch = "patches: [{target: ScaledObject, op: replace, path: /spec/pollingInterval, value: fast, reason: x}]\n"
    spec.write_text(spec.read_text() + patch)
    (finding,) = [one for one in findings(penstock) if one["rule"] == "patch-of-wrong-type"]
    assert finding["path"] == "patches[0].value"
    assert "templates/" not in finding["hint"]


def test_lint_simulations_dev_and_the_file_have_the_same_values(
    own: Callable[[str], Path], repository: Path, penstock: Run
) -> None:
    """One value from the template, one from a patch, and the rest from the spec."""
    own(changed(pollingInterval="30", cooldownPeriod="600"))
    spec = repository / SPEC
    patch = "patches: [{target: ScaledObject, op: replace, path: /spec/cooldownPeriod, value: 700, reason: x}]\n"
    spec.write_text(spec.read_text() + patch)
    ran = penstock("generate", "--only", "media-cluster")
    assert ran.returncode == 0, ran.stderr
    manifest = emitted(repository)
    assert manifest["spec"]["pollingInterval"] == 30
    assert manifest["spec"]["cooldownPeriod"] == 700

    specs = read(read_inputs(open_repository((spec,), None, repository)), ("production",), date(2026, 1, 1))
    assert isinstance(specs, ValidSpecs)
    assert effective(specs.one()).result.manifest == manifest

    loader = SpecLoader(SpecSelection((spec,), None, "production", repository, lambda: date(2026, 1, 1)))
    (workload,) = loader.read().workloads
    assert isinstance(workload, PipelineWorkload)
    assert workload.settings() == settings_of(manifest)

    values = yaml.safe_load((repository / "generated/production/media-cluster/values.yaml").read_text())
    assert values["scaledObject"]["spec"]["pollingInterval"] == 30
    assert values["scaledObject"]["spec"]["cooldownPeriod"] == 600  # the chart applies the patches itself
    assert [one["path"] for one in values["patches"]] == ["/spec/cooldownPeriod"]


def test_a_changed_template_invalidates_the_cache_of_lint(own: Callable[[str], Path], penstock: Run) -> None:
    """So does deleting it."""
    assert not [one for one in findings(penstock) if "templates/" in one["hint"]]
    file = own(changed(pollingInterval="fast"))
    assert [one for one in findings(penstock) if one["rule"] == "patch-of-wrong-type"]
    own(changed(pollingInterval="7"))
    assert not [one for one in findings(penstock) if one["rule"] == "patch-of-wrong-type"]
    own(changed(pollingInterval="fast"))
    assert [one for one in findings(penstock) if one["rule"] == "patch-of-wrong-type"]
    file.unlink()
    assert not [one for one in findings(penstock) if one["rule"] == "patch-of-wrong-type"]


def test_many_specs_are_rendered_in_forks(own: Callable[[str], Path], repository: Path, penstock: Run) -> None:
    own(changed(pollingInterval="fast"))
    text = (repository / SPEC).read_text()
    for number in range(40):
        name = f"media-cluster-{number}"
        (repository / f"specs/{name}.yaml").write_text(text.replace("name: media-cluster\n", f"name: {name}\n", 1))
    files = [one["file"] for one in findings(penstock) if one["rule"] == "patch-of-wrong-type"]
    assert {f"specs/media-cluster-{number}.yaml" for number in range(40)} <= set(files)


def test_a_broken_template_is_an_error_of_lint(own: Callable[[str], Path], penstock: Run) -> None:
    own("spec: {{ spec.nothing | y }}\n")
    ran = penstock("lint")
    assert ran.returncode == 2
    assert f"error: templates/{TEMPLATE}:" in ran.stderr
    assert "hint: " in ran.stderr


def test_a_template_that_renders_no_manifest_is_refused(repository: Path, penstock: Run) -> None:
    file = repository / "templates" / TEMPLATE
    file.parent.mkdir(parents=True)
    file.write_text("- nothing\n")
    for verb in ("lint", "generate"):
        ran = penstock(verb)
        assert ran.returncode == 2
        assert f"templates/{TEMPLATE}: this renders no manifest" in ran.stderr


@pytest.mark.parametrize("name", [None, "pipeline/runbook.md.j2"])
def test_lint_ignores_other_templates(repository: Path, name: str | None) -> None:
    """Without an own template of the ScaledObject, lint reads and renders none."""
    if name:
        (repository / "templates" / name).parent.mkdir(parents=True)
        shutil.copy(BUILT_IN / name, repository / "templates" / name)
    assert own_templates(repository) is None


def test_the_built_in_folder_overrides_nothing(root: Path) -> None:
    assert own_templates(root) is None


def test_names_has_all_templates_of_a_scaled_object() -> None:
    """The template and those that it includes: an own version of one changes what rules see."""
    known, new = set[str](), {TEMPLATE}
    while new:
        known |= new
        texts = [(BUILT_IN / name).read_text() for name in new]
        included = {str(one) for text in texts for one in meta.find_referenced_templates(Environment().parse(text))}  # noqa: S701 - it is only parsed
        new = included - known
    assert known == set(NAMES)
