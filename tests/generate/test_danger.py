"""A change that could lose messages is not generated until a person acknowledges it, and only until the end date."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]

RENAMED = "acknowledge: [{{change: rename-stream, reason: the old one is drained, until: {until}}}]\n"


@pytest.fixture
def generated(repository: Path, penstock: Run) -> Path:
    assert penstock("generate").returncode == 0
    return repository / "generated"


def files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def rename(repository: Path) -> Path:
    spec = repository / "specs/jobs.yaml"
    text = spec.read_text()
    key = next(line for line in text.splitlines() if line.strip().startswith("key:"))
    spec.write_text(text.replace(key, "  key: other:jobs", 1))
    return spec


def test_a_dangerous_change_writes_nothing(repository: Path, generated: Path, penstock: Run) -> None:
    """The finding points into the spec, and names the solution."""
    before = files(generated)
    rename(repository)
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "error[stream-renamed]: A stream is renamed while the old one may hold messages" in ran.stderr
    assert "key: other:jobs" in ran.stderr
    assert (
        "add `{change: rename-stream, reason: <why>, until: <day>}` to `acknowledge` in specs/jobs.yaml" in ran.stderr
    )
    assert "nothing is generated: messages could be lost" in ran.stderr
    assert files(generated) == before


@pytest.mark.parametrize(("until", "code"), [("2026-01-01", 0), ("2025-12-31", 2)])
def test_an_acknowledged_change_is_generated_until_the_end_date(
    repository: Path, generated: Path, penstock: Run, until: str, code: int
) -> None:
    """Including that day. Once it is generated, the acknowledgement is no longer needed."""
    spec = rename(repository)
    spec.write_text(spec.read_text() + RENAMED.format(until=until))
    assert penstock("generate").returncode == code
    worker = json.loads((generated / "dev/jobs/worker.json").read_text())
    assert (worker["spec"]["stream"]["key"] == "other:jobs") == (code == 0)
    if code == 0:
        spec.write_text(spec.read_text().replace(RENAMED.format(until=until), ""))
        assert penstock("generate").returncode == 0


def test_an_acknowledgement_of_another_change_does_not_count(repository: Path, generated: Path, penstock: Run) -> None:
    del generated
    spec = rename(repository)
    spec.write_text(spec.read_text() + RENAMED.format(until="2026-01-01").replace("rename-stream", "rename-group"))
    assert penstock("generate").returncode == 2


def test_only_selected_specs_are_checked(repository: Path, generated: Path, penstock: Run) -> None:
    del generated
    rename(repository)
    assert penstock("generate", "--only", "media-cluster").returncode == 0
    assert penstock("generate", "--only", "jobs").returncode == 2


def test_removing_a_pipeline_is_dangerous(repository: Path, generated: Path, penstock: Run) -> None:
    (repository / "specs/browser-jobs.yaml").unlink()
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "`browser-jobs` no longer has a spec" in ran.stderr
    assert (generated / "dev/browser-jobs/worker.json").exists()


def test_removing_an_environment_is_dangerous(repository: Path, generated: Path, penstock: Run) -> None:
    platform = repository / "penstock.yaml"
    text = platform.read_text()
    platform.write_text(text[: text.index("  dev:")] + text[text.index("  production:") :])
    for spec in (repository / "specs").glob("*.yaml"):
        spec.write_text(re.split(r"\n(?:expect|environments):", spec.read_text())[0] + "\n")
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "`dev` is no longer in the platform file, which removes 6 specs" in ran.stderr
    acknowledgement = "{change: remove-environment, name: dev, reason: nothing runs there, until: 2026-02-01}"
    platform.write_text(platform.read_text() + f"\nacknowledge: [{acknowledgement}]\n")
    assert penstock("generate").returncode == 0
    assert not (generated / "dev").exists()


def test_an_unreadable_worker_file_is_refused(repository: Path, generated: Path, penstock: Run) -> None:
    """It cannot be checked for losses. A digest that does not match is no problem."""
    worker = generated / "dev/jobs/worker.json"
    rename(repository)
    worker.write_text(worker.read_text().replace('"60s"', '"61s"'))
    assert "stream-renamed" in penstock("generate").stderr
    worker.write_text("{}")
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "cannot check for lost messages: `dev/jobs/worker.json` is not a worker file" in ran.stderr
    assert "git checkout" in ran.stderr


def test_renaming_a_schedulers_keys_is_dangerous(repository: Path, generated: Path, penstock: Run) -> None:
    """The state of its jobs stays under the old keys."""
    del generated
    spec = repository / "specs/cache-agents.yaml"
    spec.write_text(spec.read_text().replace("keys: {waiting: waiting,", "keys: {prefix: 'a:', waiting: waiting,"))
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "error[scheduler-keys-renamed]: A scheduler's keys are renamed and lose their state" in ran.stderr
    acknowledgement = "acknowledge: [{change: rename-keys, reason: no pod runs, until: 2026-02-01}]\n"
    spec.write_text(spec.read_text() + acknowledgement)
    assert penstock("generate").returncode == 0
