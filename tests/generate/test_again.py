"""A second run builds only what changed, and sees every difference."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]
SETTLED = 0.2
"""Seconds after which the time stamps of files are trusted."""


@pytest.fixture
def generated(repository: Path, penstock: Run) -> Path:
    """Generated and cached: very recent time stamps are not trusted, so this runs `check` a second time."""
    assert penstock("generate").returncode == 0
    deadline = time.time() + SETTLED
    while time.time() < deadline:  # the condition is the age of the files
        time.sleep(0.01)
    assert penstock("check").returncode == 0
    return repository / "generated"


def cached_units(repository: Path) -> dict[str, list[str]]:
    """The cached units, and their folders that have a stamp."""
    units = json.loads((repository / ".penstock-cache/generated.json").read_text())["units"]
    return {unit: [folder for folder, cached in entry[3].items() if cached[1]] for unit, entry in units.items()}


def test_all_units_are_cached(repository: Path, generated: Path) -> None:
    specs = {f"specs/{name}.yaml" for name in ("agent-queue", "browser-jobs", "jobs", "media-cluster", "tankpit-jobs")}
    units = cached_units(repository)
    assert specs <= units.keys()
    assert units["specs/jobs.yaml"] == ["dev/jobs", "production/jobs"]
    assert generated.exists()


def edit(path: Path) -> None:
    """Change a byte, and restore the time stamps."""
    stat = path.stat()
    raw = path.read_bytes()
    path.write_bytes(raw[:-2] + (b"x" if raw[-2:-1] != b"x" else b"y") + raw[-1:])
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.parametrize("file", ["dev/jobs/worker.json", "dev/jobs/manifests/deployment.yaml", "schemas/FILES"])
def test_an_edit_is_seen(generated: Path, penstock: Run, file: str) -> None:
    """Even one of the same length with a restored time stamp."""
    edit(generated / file)
    ran = penstock("check")
    assert ran.returncode == 1
    assert f"generated/{file}\n" in ran.stdout


@pytest.mark.parametrize("file", ["schemas/FILES", "dev/_environment/rules.yaml", "dev/jobs/rules.yaml"])
def test_a_difference_that_the_first_check_saw_is_written(
    repository: Path, generated: Path, penstock: Run, file: str
) -> None:
    """A folder that a check only knows to differ is neither skipped nor removed."""
    before = (generated / file).read_bytes()
    edit(generated / file)
    shutil.rmtree(repository / ".penstock-cache")
    assert penstock("check").returncode == 1
    ran = penstock("generate")
    assert ran.stdout.endswith(" files: 1 written\n")
    assert (generated / file).read_bytes() == before
    assert penstock("check").returncode == 0


def test_a_missing_file_is_seen(generated: Path, penstock: Run) -> None:
    (generated / "dev/jobs/rules.yaml").unlink()
    assert penstock("check").stdout == "missing: generated/dev/jobs/rules.yaml\n"
    assert penstock("generate").stdout.endswith(": 1 written\n")
    assert penstock("check").returncode == 0


def test_a_missing_folder_is_seen(generated: Path, penstock: Run) -> None:
    shutil.rmtree(generated / "dev/jobs")
    ran = penstock("check")
    assert ran.returncode == 1
    assert "missing: generated/dev/jobs/worker.json\n" in ran.stdout


def test_a_change_of_a_message_schema_file_is_seen(repository: Path, generated: Path, penstock: Run) -> None:
    del generated
    schema = repository / "specs/media-cluster.message.json"
    schema.write_text(schema.read_text().replace('"type": "string"', '"type": "integer"', 1))
    ran = penstock("check")
    assert "out of date: generated/dev/media-cluster/worker.json\n" in ran.stdout
    assert "jobs/worker.json" not in ran.stdout.replace("browser-jobs", "").replace("tankpit-jobs", "")


def test_a_change_of_a_template_is_seen(repository: Path, generated: Path, penstock: Run) -> None:
    """A new, a changed and a deleted one."""
    del generated
    template = repository / "templates/pipeline/manifests/serviceaccount.yaml.j2"
    template.parent.mkdir(parents=True)
    for text in ("apiVersion: v1\nkind: ServiceAccount\n", "kind: ServiceAccount\n"):
        template.write_text(text)
        assert "out of date: generated/dev/jobs/manifests/serviceaccount.yaml\n" in penstock("check").stdout
        assert penstock("generate").returncode == 0
    template.unlink()
    assert "out of date: generated/dev/jobs/manifests/serviceaccount.yaml\n" in penstock("check").stdout


def test_a_change_of_the_platform_file_is_seen(repository: Path, generated: Path, penstock: Run) -> None:
    del generated
    platform = repository / "penstock.yaml"
    platform.write_text(platform.read_text().replace("namespace: pipelines-dev", "namespace: elsewhere"))
    assert "out of date: generated/dev/jobs/manifests/deployment.yaml\n" in penstock("check").stdout


@pytest.mark.parametrize("verb", ["check", "diff"])
def test_a_check_or_diff_before_generate_removes_nothing(
    repository: Path, generated: Path, penstock: Run, verb: str
) -> None:
    """They cache nothing that was not written: the environment's own folder and the schemas stay."""
    spec = repository / "specs/jobs.yaml"
    spec.write_text(spec.read_text().replace("bot-worker:1.0.0", "bot-worker:1.0.1"))
    (generated / "chart/Chart.yaml").unlink()
    before = {path.relative_to(generated) for path in generated.rglob("*")}
    penstock(verb)
    assert "removed" not in penstock("generate").stdout
    assert {path.relative_to(generated) for path in generated.rglob("*")} == before | {Path("chart/Chart.yaml")}
    assert "bot-worker:1.0.1" in (generated / "production/_environment/terraform.tfvars.json").read_text()
    assert penstock("check").returncode == 0


@pytest.mark.parametrize("broken", [b"", b"[]", b'{"units": 5}', b"\xff"])
def test_a_broken_cache_is_ignored(repository: Path, generated: Path, penstock: Run, broken: bytes) -> None:
    cache_file = repository / ".penstock-cache/generated.json"
    content = json.loads(cache_file.read_text())
    cache_file.write_bytes(broken)
    assert penstock("check").returncode == 0
    content["units"]["specs/jobs.yaml"] = ["", 5]
    cache_file.write_text(json.dumps(content))
    edit(generated / "dev/jobs/worker.json")
    assert penstock("check").returncode == 1


def test_forks_build_the_same_files(repository: Path, penstock: Run) -> None:
    """Many specs are built in several processes."""
    text = (repository / "specs/browser-jobs.yaml").read_text()
    for number in range(40):
        more = text.replace("browser-jobs", f"more-{number}").replace("key: ", f"key: of-{number}:")
        (repository / f"specs/more-{number}.yaml").write_text(more)
    ran = penstock("generate")
    assert ran.returncode == 0, ran.stderr
    assert penstock("check", "--only", "more-7").returncode == 0
    (repository / ".penstock-cache/generated.json").unlink()
    assert penstock("check", "--only", "more-8").returncode == 0
    assert len(cached_units(repository)) == 1


def test_forks_do_not_block_each_other(repository: Path, penstock: Run) -> None:
    """The forks read the stamps of the tree themselves, if the first spec is new to all of them."""
    text = (repository / "specs/browser-jobs.yaml").read_text()
    for number in range(40):
        more = text.replace("browser-jobs", f"more-{number}").replace("key: ", f"key: of-{number}:")
        (repository / f"specs/more-{number}.yaml").write_text(more)
    assert penstock("generate").returncode == 0
    first = repository / "specs/agent-queue.yaml"
    first.write_text(first.read_text() + "\n# changed\n")
    assert penstock("generate", "--env", "dev").returncode == 0
    assert penstock("check", "--env", "dev").returncode == 0
