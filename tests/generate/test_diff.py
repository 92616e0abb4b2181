"""`penstock diff` describes the effects of a change of specs in words for reviewers."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def generated(repository: Path, penstock: Run) -> Path:
    assert penstock("generate").returncode == 0
    return repository / "generated"


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def git(where: Path, *words: str) -> None:
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    subprocess.run(["git", *who, *words], cwd=where, check=True, capture_output=True)


@pytest.fixture
def committed(repository: Path, generated: Path) -> Path:
    del generated
    git(repository, "init", "--quiet")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "Add all files")
    return repository


def files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_no_changes_are_reported(generated: Path, penstock: Run) -> None:
    before = files(generated)
    ran = penstock("diff")
    assert (ran.returncode, ran.stdout) == (0, "no changes (17 folders compared)\n")
    assert files(generated) == before


def test_a_change_reads_like_a_sentence(repository: Path, generated: Path, penstock: Run) -> None:
    """Of the scaler, of alerts and panels; and whether pods restart. Files that only repeat these are not listed."""
    before = files(generated)
    change(repository / "specs/agent-queue.yaml", "max: 100", "max: 150")
    ran = penstock("diff", "--only", "agent-queue")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (
        ran.stdout
        == """\
agent-queue (production)
  scaling      max replicas 100 -> 150
  alerts       PenstockAtMaxReplicas fires at >= 150 instead of >= 100
  dashboard    panel `Pods` changed
  files        runbook.md changed
  rollout      no pod restarts
1 folder changed, 1 unchanged
"""
    )
    assert files(generated) == before


def test_the_same_change_in_several_environments_is_reported_once(
    repository: Path, generated: Path, penstock: Run
) -> None:
    """A new image restarts pods."""
    del generated
    change(repository / "specs/media-cluster.yaml", "media-worker:1.4.2", "media-worker:1.5.0")
    ran = penstock("diff")
    lines = ran.stdout.splitlines()
    assert lines[0] == "media-cluster (dev, production)"
    image = "registry.example/media-worker"
    assert lines[1] == f"  worker       image {image}:1.4.2 -> {image}:1.5.0"
    assert "  rollout      pods restart" in lines


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("cooldown: 3m", "cooldown: 4m", "scaling      cooldown (seconds) 180 -> 240"),
        ("grace: 90s", "grace: 95s", "worker       shutdown.grace 90s -> 95s"),
        ("alerts: {backlog_age: 5m", "alerts: {backlog_age: 6m", "alerts       PenstockBacklogOld fires at > 360"),
        ("concurrency: 16", "concurrency: 17", "worker       work.concurrency 16 -> 17"),
    ],
)
@pytest.mark.usefixtures("generated")
def test_each_section_is_described(repository: Path, penstock: Run, before: str, after: str, line: str) -> None:
    change(repository / "specs/media-cluster.yaml", before, after)
    ran = penstock("diff", "--only", "media-cluster")
    assert ran.returncode == 0, ran.stderr
    assert line in ran.stdout


def test_a_new_and_a_removed_pipeline(repository: Path, generated: Path, penstock: Run) -> None:
    del generated
    text = (repository / "specs/browser-jobs.yaml").read_text()
    more = text.replace("browser-jobs", "more-jobs").replace("key: ", "key: more:")
    (repository / "specs/more-jobs.yaml").write_text(more)
    (repository / "specs/tankpit-jobs.yaml").unlink()
    ran = penstock("diff")
    assert ran.returncode == 1
    for environment in ("dev", "production"):
        assert re.search(rf"more-jobs \(.*{environment}.*\)\n  files        all [0-9]+ added\n", ran.stdout)
        assert re.search(rf"tankpit-jobs \(.*{environment}.*\)\n  files        all [0-9]+ removed\n", ran.stdout)
    assert "danger  penstock.yaml:" in ran.stdout
    assert "`tankpit-jobs` no longer has a spec" in ran.stdout
    assert "(not acknowledged)" in ran.stdout


def test_an_acknowledged_danger_does_not_fail(repository: Path, generated: Path, penstock: Run) -> None:
    """It is still reported."""
    del generated
    spec = repository / "specs/jobs.yaml"
    change(spec, "key: jobs", "key: other")
    assert penstock("diff").returncode == 1
    acknowledgement = "acknowledge: [{change: rename-stream, reason: it is drained, until: 2026-02-01}]"
    spec.write_text(f"{spec.read_text()}\n{acknowledgement}\n")
    ran = penstock("diff")
    assert ran.returncode == 0
    assert "(acknowledged)" in ran.stdout


def test_against_a_revision(committed: Path, penstock: Run) -> None:
    """The committed files count, not those on disk."""
    change(committed / "specs/agent-queue.yaml", "max: 100", "max: 150")
    assert penstock("generate").returncode == 0
    assert penstock("diff").stdout.startswith("no changes")
    ran = penstock("diff", "HEAD")
    assert "max replicas 100 -> 150" in ran.stdout
    git(committed, "commit", "--quiet", "-a", "-m", "more")
    assert penstock("diff", "HEAD").stdout.startswith("no changes")
    assert "max replicas 100 -> 150" in penstock("diff", "HEAD~1").stdout


@pytest.mark.parametrize("revision", ["unknown", "--output=x", "HEAD:specs"])
def test_an_unknown_revision_is_refused(committed: Path, penstock: Run, revision: str) -> None:
    before = files(committed / "specs")
    ran = penstock("diff", "--", revision)
    assert ran.returncode == 2
    assert f"git knows no revision `{revision}` here" in ran.stderr
    assert files(committed / "specs") == before


def test_without_git(repository: Path, generated: Path, penstock: Run) -> None:
    del repository, generated
    ran = penstock("diff", "HEAD")
    assert ran.returncode == 2
    ran = penstock("diff", "HEAD", PATH="/nowhere")
    assert ran.returncode == 2
    assert "git cannot be run" in ran.stderr


def test_json_for_programs(repository: Path, generated: Path, penstock: Run) -> None:
    del generated
    change(repository / "specs/agent-queue.yaml", "max: 100", "max: 150")
    report = json.loads(penstock("diff", "--only", "agent-queue", "--json").stdout)
    [one] = report["changes"]
    assert (one["name"], one["environments"], one["restarts"]) == ("agent-queue", ["production"], False)
    assert {"section": "scaling", "says": "max replicas 100 -> 150"} in one["changes"]
    assert (report["dangers"], report["unchanged"]) == ([], 1)


def test_markdown_for_a_pull_request(repository: Path, generated: Path, penstock: Run) -> None:
    """No text of a spec becomes Markdown or HTML."""
    del generated
    change(repository / "specs/jobs.yaml", "key: jobs", "key: '`<b>|*'")
    ran = penstock("diff", "--only", "jobs", "--markdown")
    assert "### jobs (dev, production)\n" in ran.stdout
    assert "- **worker**: stream.key jobs -\\> \\`\\<b\\>\\|\\*\n" in ran.stdout
    assert "<b>" not in ran.stdout
    assert ran.stdout.startswith("> **Danger**: `specs/jobs.yaml:")


def test_json_and_markdown_exclude_each_other(generated: Path, penstock: Run) -> None:
    del generated
    ran = penstock("diff", "--json", "--markdown")
    assert ran.returncode == 2
    assert "use only one of `--json` and `--markdown`" in ran.stderr


def test_changes_of_a_scheduler_are_described(repository: Path, generated: Path, penstock: Run) -> None:
    """The settings and the number of its pods, and the thresholds of its alerts."""
    del generated
    spec = repository / "specs/cache-agents.yaml"
    text = spec.read_text().replace("replicas: 3", "replicas: 4").replace("concurrency: 100", "concurrency: 50")
    spec.write_text(text.replace("cache-agents:1.0.0", "cache-agents:1.1.0"))
    output = " ".join(penstock("diff").stdout.split())
    assert "pods 3 -> 4" in output
    assert "image registry.example/cache-agents:1.0.0 -> registry.example/cache-agents:1.1.0" in output
    assert "work.concurrency 100 -> 50" in output
    assert "PenstockManyJobsReady fires at > 500 instead of > 1000" in output
