"""`penstock acl` for a scheduler: it works with exactly these rights, which the scripts declare."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from lua_commands import COMMENT, called_by
from redis_users import version
from scheduler_processes import KEYS, MAIL, Schedule
from servers import Server, wait_for

from penstock import scheduler
from penstock.scripts import script
from penstock_spec.kinds.scheduler.rights import SCRIPTS
from penstock_spec.kinds.scheduler.rights.scripts import CALLED, LEAD

FOLDER = Path(scheduler.__file__).parent / "scripts"
SECRET = "a long one"  # noqa: S105 - of a server that lives as long as the test
SPEC = """\
jobs:
  - {name: usual, every: 1s}
  - {name: hangs, every: 1h, timeout: 15s}
work: {lease: 10s, concurrency: 5}
refresh: {every: 1s}
cleanup: {zombies: {threshold: 1s}, orphans: {every: 1s, leadership: 1s}}
"""
SENDS = """\
jobs: [{name: nightly, every: 1s, send: {pipeline: mail, message: {id: costs}}}]
"""
HANDLERS = """\
import asyncio
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    if job.name == "hangs":
        await asyncio.sleep(3600)
    ledger.note("end", job.name, context.fence)
"""


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.lua"))


def test_scripts_are_granted_the_commands_that_they_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing right fails here and not in production."""
    assert called_by("lead") == LEAD
    monkeypatch.setattr("lua_commands.script", lambda name: script(name, FOLDER))
    assert dict(CALLED) == {name: called_by(name) for name in names()}
    assert set().union(*SCRIPTS.values()) == set(names())
    assert "redis.call" not in COMMENT.sub("", "-- redis.call('KEYS')")


def grant(repository: Schedule, server: Server, role: str) -> str:
    """Creates a user with the printed rights of a role."""
    platform = repository.folder / "penstock.yaml"
    document = yaml.safe_load(platform.read_text())
    document["environments"]["dev"]["versions"] = {"redis": version(repository.target)}
    platform.write_text(yaml.safe_dump(document))
    command = [sys.executable, "-m", "penstock", "acl", "trial", "--role", role, "--json"]
    result = subprocess.run(command, cwd=repository.folder, capture_output=True, text=True, check=True)
    [user] = json.loads(result.stdout)["users"]
    server.ask("ACL", "SETUSER", user["user"], *user["rules"], "on", f">{SECRET}")
    return str(user["user"])


def rules_of(server: Server, user: str) -> list[str]:
    """The rules of a user as ACL LIST writes them; the replies of ACL GETUSER differ by version."""
    users = server.ask("ACL", "LIST")
    assert isinstance(users, list)
    [rules] = [words[2:] for words in (str(one).split() for one in users) if words[:2] == ["user", user]]
    return rules


def refused(server: Server) -> list[str]:
    """The refusals that Redis logged."""
    log = server.ask("ACL", "LOG")
    assert isinstance(log, list)
    return [str(one) for one in log]


def test_pods_and_operators_have_all_rights_that_they_need(
    own_server: Callable[..., Schedule], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pod runs jobs, is lost, cleans up, drains; an operator lists, pauses, resumes. Redis refuses no command."""
    repository = own_server(handlers=HANDLERS, spec=SPEC)
    pod, person = (grant(repository, server, role) for role in ("scheduler", "operator"))
    credentials = {"REDIS_USERNAME": pod, "REDIS_PASSWORD": SECRET}
    lost = repository.pod(environ=credentials)
    repository.until_ran("usual", 2)
    lost.signal(signal.SIGKILL)
    remaining = repository.pod(environ=credentials)
    before = len(repository.lines("end")["usual"])
    repository.until_ran("usual", before + 2)
    wait_for(lambda: len(repository.lines().get("hangs", [])) > 1, "the job of the lost pod runs again", 60)
    monkeypatch.setenv("REDIS_USERNAME", person)
    monkeypatch.setenv("REDIS_PASSWORD", SECRET)
    for command in (("list",), ("why", "usual"), ("run-now", "usual"), ("pause", "usual"), ("resume", "usual")):
        result = repository.call(*command)
        assert "NOPERM" not in result.stderr, result.stderr
    for key in (KEYS.waiting, KEYS.working, KEYS.paused):
        repository.ask("ZCARD", key)
    assert remaining.end() == 0
    assert refused(server) == []


def test_a_pod_can_send_to_the_pipelines_of_its_jobs(own_server: Callable[..., Schedule], server: Server) -> None:
    """It has the rights of their producers and no others; a missing pipeline is reported."""
    with own_server(spec=SENDS, handlers=HANDLERS) as repository:
        specs = repository.folder / "specs"
        for name in ("mail", "other"):
            (specs / f"{name}.yaml").write_text(MAIL.replace("mail", name))
        pod = grant(repository, server, "scheduler")
        rules = rules_of(server, pod)
        assert "~mail" in rules
        assert "~other" not in rules
        running = repository.pod(environ={"REDIS_USERNAME": pod, "REDIS_PASSWORD": SECRET})
        wait_for(lambda: repository.number("XLEN", "mail") >= 2, "two messages are sent")
        assert running.end() == 0
        assert refused(server) == []
        (specs / "mail.yaml").unlink()
        command = [sys.executable, "-m", "penstock", "acl", "trial", "--role", "scheduler"]
        result = subprocess.run(command, cwd=repository.folder, capture_output=True, text=True, check=True)
        assert "~mail" not in result.stdout
        assert result.stderr == ("a job sends to `mail`, which is missing or has errors; its rights are left out\n")
