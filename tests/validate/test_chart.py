"""Helm renders the chart with a spec's values to the same objects as its manifests."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from awkward_specs import PATCHES, REDIS, SPEC, TEXTS, generated
from charts import CHART, COMMITTED, GENERATED, helm, of_chart, of_manifests

from penstock_generate.rendering.yaml_text import document

MEDIA = GENERATED / "production/media-cluster/values.yaml"
REFUSED = [
    ("additional properties 'imagee' not allowed", "--set", "imagee=a:1"),
    ("at '/resources': additional properties 'gpu' not allowed", "--set", "resources.gpu=1"),
    ("at '/redis/secret': additional properties 'password' not allowed", "--set", "redis.secret.password=a"),
    ("at '/scaledObject': additional properties 'paused' not allowed", "--set", "scaledObject.paused=true"),
    ("at '/graceSeconds': got string, want integer", "--set-string", "graceSeconds=90"),
    ("at '/image': got number, want string", "--set", "image=1"),
    ("at '/redis/ports/0': got string, want integer", "--set", "redis.ports={http}"),
    ("at '/redis/triggerAuthentication': got string", "--set-string", "redis.triggerAuthentication=true"),
    ("at '/rules/0': missing property 'rules'", "--set-json", 'rules=[{"name": "a"}]'),
    ("at '/rules': got string, want array", "--set", "rules=none"),
    ("at '/patches/0/target': value must be one of", "--set-json", 'patches=[{"target":"Job","op":"add","path":"/a"}]'),
    ("at '/name': maxLength: got 60, want 54", "--set", f"name={'a' * 60}"),
    ("at '/team': got null, want string", "--set", "team=null"),
    ("at '/image': got null, want string", "--set", "image=null"),
    ("workerFile is not a worker.json: it has no digest", "--set-json", 'workerFile="{}"'),
    ("there is no `nope`", "--set-json", 'patches=[{"target":"Deployment","op":"remove","path":"/spec/nope"}]'),
    (
        "there is no `9`",
        "--set-json",
        'patches=[{"target":"Deployment","op":"remove","path":"/spec/template/spec/volumes/9"}]',
    ),
]


@pytest.mark.parametrize("values", COMMITTED, ids=lambda path: str(path.parent.relative_to(GENERATED)))
def test_the_chart_gives_the_same_objects_as_the_manifests(values: Path) -> None:
    """With any name and namespace of the release."""
    assert of_chart(values) == of_manifests(values.parent / "manifests")


@pytest.mark.parametrize("patches", [[], PATCHES], ids=["as it is", "patched"])
@pytest.mark.parametrize("redis", REDIS)
def test_awkward_texts_give_the_same_objects(tmp_path: Path, redis: str, patches: list[Any]) -> None:
    """Text with a meaning in Helm, YAML or PromQL stays unchanged, and patches have the same effect."""
    folder = generated(tmp_path, SPEC, REDIS[redis], patches)
    assert of_chart(folder / "values.yaml") == of_manifests(folder / "manifests")


def test_helm_lint_reports_nothing(tmp_path: Path) -> None:
    odd = generated(tmp_path, SPEC, REDIS["auth"], PATCHES) / "values.yaml"
    for values in [*COMMITTED, odd]:
        ran = helm("lint", "--strict", "--quiet", CHART, "-f", values)
        assert (ran.returncode, ran.stdout) == (0, ""), values


@pytest.mark.parametrize(("message", "flag", "value"), REFUSED)
def test_invalid_values_are_refused(message: str, flag: str, value: str) -> None:
    """By the schema, or because a patch has an unknown path."""
    ran = helm("template", "x", CHART, "-f", MEDIA, flag, value)
    assert ran.returncode == 1
    assert message in ran.stderr


@pytest.mark.parametrize("patches", [[], PATCHES], ids=["as it is", "patched"])
def test_a_value_of_the_command_line_overrides(tmp_path: Path, patches: list[Any]) -> None:
    """Even in an object that the spec patches."""
    values = generated(tmp_path, SPEC, REDIS["auth"], patches) / "values.yaml"
    options = ["--set", "image=registry.example/odd:2,resources.cpu=2,graceSeconds=1000000"]
    before, after = of_chart(values), of_chart(values, *options)
    pod = after["Deployment", "odd"]["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == "registry.example/odd:2"
    assert pod["containers"][0]["resources"]["requests"]["cpu"] == 2
    assert pod["terminationGracePeriodSeconds"] == 1000000
    del before["Deployment", "odd"], after["Deployment", "odd"]
    assert after == before


def test_the_releases_namespace_is_the_default() -> None:
    objects = of_chart(MEDIA, "--set", "namespace=null,rules=null,redis.secret=null")
    assert {one["metadata"]["namespace"] for one in objects.values()} == {"elsewhere"}
    gone = {"PrometheusRule", "TriggerAuthentication"}
    assert {kind for kind, _ in of_manifests(MEDIA.parent / "manifests")} - {kind for kind, _ in objects} == gone


def test_the_dashboard_is_written_unchanged(tmp_path: Path) -> None:
    """The chart does not interpret it."""
    text = json.dumps({"title": TEXTS}, ensure_ascii=False, indent=2)
    values = tmp_path / "values.yaml"
    values.write_text(document({"dashboard": {"folder": '  "{{ folder }}" %', "json": text}}))
    made = of_chart(MEDIA, "-f", str(values))["ConfigMap", "media-cluster-dashboard"]
    labels = of_chart(MEDIA)["ConfigMap", "media-cluster"]["metadata"]["labels"]
    assert made["metadata"] == {
        "name": "media-cluster-dashboard",
        "namespace": "pipelines",
        "labels": {**labels, "grafana_dashboard": "1"},
        "annotations": {"grafana_folder": '  "{{ folder }}" %'},
    }
    assert made["data"] == {"media-cluster.json": text}


@pytest.mark.parametrize("version", ["1.31", "1.36"])
def test_helms_output_conforms_to_the_schemas(root: Path, version: str) -> None:
    """As text: duplicate keys, or text that parsers read differently, would fail here."""
    schemas = root / "build/validators/schemas"
    locations = [
        f"{schemas}/{version}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json",
        f"{schemas}/crds/{{{{.ResourceKind}}}}-{{{{.ResourceAPIVersion}}}}.json",
    ]
    command = ["kubeconform", "-strict", *(word for one in locations for word in ("-schema-location", one))]
    for values in COMMITTED:
        text = helm("template", "x", CHART, "-f", values).stdout
        ran = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stdout) == (0, ""), values


def test_the_chart_can_be_packed(tmp_path: Path) -> None:
    """Without the listing of generated files."""
    ran = helm("package", CHART, "--destination", tmp_path)
    assert ran.returncode == 0, ran.stderr
    [package] = tmp_path.iterdir()
    assert package.name == "penstock-0.1.0.tgz"
    names = subprocess.run(["tar", "tzf", package], capture_output=True, text=True, check=True).stdout.split()
    assert {name.removeprefix("penstock/") for name in names} == {
        str(path.relative_to(CHART)) for path in CHART.rglob("*") if path.is_file() and path.name != "FILES"
    }
