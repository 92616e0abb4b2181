"""A second run makes only what is new, and still sees everything that differs."""

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
"""Seconds after which the time stamps of files are believed."""


@pytest.fixture
def generated(repository: Path, penstock: Run) -> Path:
    """Generated, and known to be: time stamps of a moment ago are not believed, so it takes a second look."""
    assert penstock("generate").returncode == 0
    deadline = time.time() + SETTLED
    while time.time() < deadline:  # this is the condition: it is about the age of files
        time.sleep(0.01)
    assert penstock("check").returncode == 0
    return repository / "generated"


def known(repository: Path) -> dict[str, list[str]]:
    """The units that the ledger knows, and of which folders it knows how they lie."""
    units = json.loads((repository / ".penstock-cache/generated.json").read_text())["units"]
    return {unit: [folder for folder, lay in told[3].items() if lay[1]] for unit, told in units.items()}


def test_everything_is_known(repository: Path, generated: Path) -> None:
    specs = {f"specs/{name}.yaml" for name in ("agent-queue", "browser-jobs", "jobs", "media-cluster", "tankpit-jobs")}
    found = known(repository)
    assert specs <= found.keys()
    assert found["specs/jobs.yaml"] == ["dev/jobs", "production/jobs"]
    assert generated.exists()


def edit(path: Path) -> None:
    """Change a byte, and the time stamps back to what they were."""
    stat = path.stat()
    raw = path.read_bytes()
    path.write_bytes(raw[:-2] + (b"x" if raw[-2:-1] != b"x" else b"y") + raw[-1:])
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.parametrize("file", ["dev/jobs/worker.json", "dev/jobs/manifests/deployment.yaml", "schemas/FILES"])
def test_an_edit_is_seen(generated: Path, penstock: Run, file: str) -> None:
    """Also one of the same length, whose time stamp was put back."""
    edit(generated / file)
    ran = penstock("check")
    assert ran.returncode == 1
    assert f"generated/{file}\n" in ran.stdout


@pytest.mark.parametrize("file", ["schemas/FILES", "dev/_environment/rules.yaml", "dev/jobs/rules.yaml"])
def test_what_a_first_check_found_different_is_generated_anew(
    repository: Path, generated: Path, penstock: Run, file: str
) -> None:
    """A folder of which a check knows only that it differs is neither passed over nor taken for left over."""
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


def test_a_whole_folder_is_seen(generated: Path, penstock: Run) -> None:
    shutil.rmtree(generated / "dev/jobs")
    ran = penstock("check")
    assert ran.returncode == 1
    assert "missing: generated/dev/jobs/worker.json\n" in ran.stdout


def test_a_schema_beside_a_spec_is_seen(repository: Path, generated: Path, penstock: Run) -> None:
    del generated
    schema = repository / "specs/media-cluster.message.json"
    schema.write_text(schema.read_text().replace('"type": "string"', '"type": "integer"', 1))
    ran = penstock("check")
    assert "out of date: generated/dev/media-cluster/worker.json\n" in ran.stdout
    assert "jobs/worker.json" not in ran.stdout.replace("browser-jobs", "").replace("tankpit-jobs", "")


def test_a_template_is_seen(repository: Path, generated: Path, penstock: Run) -> None:
    """One that comes, one that changes, and one that goes."""
    del generated
    template = repository / "templates/pipeline/manifests/serviceaccount.yaml.j2"
    template.parent.mkdir(parents=True)
    for text in ("apiVersion: v1\nkind: ServiceAccount\n", "kind: ServiceAccount\n"):
        template.write_text(text)
        assert "out of date: generated/dev/jobs/manifests/serviceaccount.yaml\n" in penstock("check").stdout
        assert penstock("generate").returncode == 0
    template.unlink()
    assert "out of date: generated/dev/jobs/manifests/serviceaccount.yaml\n" in penstock("check").stdout


def test_the_platform_is_seen(repository: Path, generated: Path, penstock: Run) -> None:
    del generated
    platform = repository / "penstock.yaml"
    platform.write_text(platform.read_text().replace("namespace: pipelines-dev", "namespace: elsewhere"))
    assert "out of date: generated/dev/jobs/manifests/deployment.yaml\n" in penstock("check").stdout


@pytest.mark.parametrize("look", ["check", "diff"])
def test_who_looked_first_removes_nothing(repository: Path, generated: Path, penstock: Run, look: str) -> None:
    """A look at what differs is not taken for what was made: the environment's own folder stays, as do the schemas."""
    spec = repository / "specs/jobs.yaml"
    spec.write_text(spec.read_text().replace("bot-worker:1.0.0", "bot-worker:1.0.1"))
    (generated / "chart/Chart.yaml").unlink()
    before = {path.relative_to(generated) for path in generated.rglob("*")}
    penstock(look)
    assert "removed" not in penstock("generate").stdout
    assert {path.relative_to(generated) for path in generated.rglob("*")} == before | {Path("chart/Chart.yaml")}
    assert "bot-worker:1.0.1" in (generated / "production/_environment/terraform.tfvars.json").read_text()
    assert penstock("check").returncode == 0


@pytest.mark.parametrize("broken", [b"", b"[]", b'{"units": 5}', b"\xff"])
def test_a_broken_ledger_is_no_matter(repository: Path, generated: Path, penstock: Run, broken: bytes) -> None:
    ledger = repository / ".penstock-cache/generated.json"
    whole = json.loads(ledger.read_text())
    ledger.write_bytes(broken)
    assert penstock("check").returncode == 0
    whole["units"]["specs/jobs.yaml"] = ["", 5]
    ledger.write_text(json.dumps(whole))
    edit(generated / "dev/jobs/worker.json")
    assert penstock("check").returncode == 1


def test_what_is_made_by_forks_is_the_same(repository: Path, penstock: Run) -> None:
    """From some specs on there are several processes."""
    text = (repository / "specs/browser-jobs.yaml").read_text()
    for number in range(40):
        more = text.replace("browser-jobs", f"more-{number}").replace("key: ", f"key: of-{number}:")
        (repository / f"specs/more-{number}.yaml").write_text(more)
    ran = penstock("generate")
    assert ran.returncode == 0, ran.stderr
    assert penstock("check", "--only", "more-7").returncode == 0
    (repository / ".penstock-cache/generated.json").unlink()
    assert penstock("check", "--only", "more-8").returncode == 0
    assert len(known(repository)) == 1


def test_forks_wait_for_nobody(repository: Path, penstock: Run) -> None:
    """What the tree looks like is asked for by the forks alone, when the first spec is new to all of them."""
    text = (repository / "specs/browser-jobs.yaml").read_text()
    for number in range(40):
        more = text.replace("browser-jobs", f"more-{number}").replace("key: ", f"key: of-{number}:")
        (repository / f"specs/more-{number}.yaml").write_text(more)
    assert penstock("generate").returncode == 0
    first = repository / "specs/agent-queue.yaml"
    first.write_text(first.read_text() + "\n# changed\n")
    assert penstock("generate", "--env", "dev").returncode == 0
    assert penstock("check", "--env", "dev").returncode == 0
