"""A job may send a message to a pipeline of the same repository."""

import json
from collections.abc import Callable

import pytest
from patience import PATIENCE
from scheduler_processes import KEYS, MAIL, Schedule
from servers import wait_for

SPEC = """\
jobs:
  - {name: nightly, every: 1h, send: {pipeline: mail, message: {id: costs}}}
  - {name: invalid, every: 1h, error_interval: 1h, send: {pipeline: mail, message: {other: field}}}
"""


def runs(repo: Schedule, job: str) -> int:
    reply = repo.ask("HGET", KEYS.story, job)
    return json.loads(str(reply))["fence"] if reply else 0


@pytest.mark.wire
def test_a_run_sends_once(schedule: Callable[..., Schedule]) -> None:
    """By the pipeline's deduplication: a repeated run for the same second sends no message, the next run does."""
    with schedule(spec=SPEC.replace("  - {name: invalid", "  # - {name: invalid")) as repo:
        (repo.folder / "specs" / "mail.yaml").write_text(MAIL)
        pod = repo.pod()
        wait_for(lambda: runs(repo, "nightly"), "`nightly` has run")
        assert repo.number("XLEN", "mail") == 1
        first = json.loads(str(repo.ask("HGET", KEYS.story, "nightly")))
        for due, messages in ((first["due"], 1), (first["due"] + 1, 2)):
            before = runs(repo, "nightly")
            repo.ask("ZADD", KEYS.waiting, f"{due}.499", "nightly")
            wait_for(lambda before=before: runs(repo, "nightly") > before, "`nightly` has run again")  # type: ignore[misc] # a number
            assert repo.number("XLEN", "mail") == messages
        assert pod.end() == 0


def test_a_pod_reads_pipelines_next_to_its_worker_file(schedule: Callable[..., Schedule]) -> None:
    """In the folder where generated files are mounted; a missing pipeline is reported before any job runs."""
    with schedule(spec=SPEC.replace("  - {name: invalid", "  # - {name: invalid")) as repo:
        (repo.folder / "specs" / "mail.yaml").write_text(MAIL)
        generate = repo.start("generate")
        assert generate.process.wait(PATIENCE) in (0, 1), generate.log()
        file = repo.folder / "generated" / "dev" / "trial" / "worker.json"
        without_pipeline = repo.start("scheduler", "run", str(file), "--redis", repo.target.url, "--listen", "off")
        assert without_pipeline.process.wait(PATIENCE) == 2
        assert "cannot use the worker file" in without_pipeline.log()
        assert "pipelines/mail.json`: there is no such file" in without_pipeline.log()
        (file.parent / "pipelines").mkdir()
        (file.parent / "pipelines" / "mail.json").write_bytes(
            (repo.folder / "generated" / "dev" / "mail" / "worker.json").read_bytes()
        )
        pod = repo.start("scheduler", "run", str(file), "--redis", repo.target.url, "--listen", "off")
        wait_for(lambda: runs(repo, "nightly"), "`nightly` has run")
        assert repo.number("XLEN", "mail") == 1
        assert pod.end() == 0
