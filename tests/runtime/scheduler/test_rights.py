"""`penstock acl` for a scheduler: everything works with exactly these rights, which the scripts declare."""

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
    """A missing right is found here, and not at night."""
    assert called_by("lead") == LEAD
    monkeypatch.setattr("lua_commands.script", lambda name: script(name, FOLDER))
    assert dict(CALLED) == {name: called_by(name) for name in names()}
    assert set().union(*SCRIPTS.values()) == set(names())
    assert "redis.call" not in COMMENT.sub("", "-- redis.call('KEYS')")


def grant(repository: Schedule, server: Server, role: str) -> str:
    """A user with what is printed for a role."""
    platform = repository.folder / "penstock.yaml"
    told = yaml.safe_load(platform.read_text())
    told["environments"]["dev"]["versions"] = {"redis": version(repository.target)}
    platform.write_text(yaml.safe_dump(told))
    command = [sys.executable, "-m", "penstock", "acl", "trial", "--role", role, "--json"]
    ran = subprocess.run(command, cwd=repository.folder, capture_output=True, text=True, check=True)
    [user] = json.loads(ran.stdout)["users"]
    server.ask("ACL", "SETUSER", user["user"], *user["rules"], "on", f">{SECRET}")
    return str(user["user"])


def user_with_role(server: Server, user: str) -> list[str]:
    """The rules of a user as Redis writes them to a file: each version answers ACL GETUSER in a shape of its own."""
    users = server.ask("ACL", "LIST")
    assert isinstance(users, list)
    [rules] = [words[2:] for words in (str(one).split() for one in users) if words[:2] == ["user", user]]
    return rules


def refused(server: Server) -> list[str]:
    """What Redis refused anybody."""
    log = server.ask("ACL", "LOG")
    assert isinstance(log, list)
    return [str(one) for one in log]


def test_pods_and_people_have_all_rights_that_they_need(
    own_server: Callable[..., Schedule], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs jobs, loses a pod, tidies and leaves; somebody looks, pauses and resumes. Redis refuses nothing."""
    repository = own_server(handlers=HANDLERS, spec=SPEC)
    pod, person = (grant(repository, server, role) for role in ("scheduler", "operator"))
    mine = {"REDIS_USERNAME": pod, "REDIS_PASSWORD": SECRET}
    lost = repository.pod(environ=mine)
    repository.until_ran("usual", 2)
    lost.signal(signal.SIGKILL)
    left = repository.pod(environ=mine)
    before = len(repository.lines("end")["usual"])
    repository.until_ran("usual", before + 2)
    wait_for(lambda: len(repository.lines().get("hangs", [])) > 1, "what the lost pod held runs again", 60)
    monkeypatch.setenv("REDIS_USERNAME", person)
    monkeypatch.setenv("REDIS_PASSWORD", SECRET)
    for words in (("list",), ("why", "usual"), ("run-now", "usual"), ("pause", "usual"), ("resume", "usual")):
        ran = repository.call(*words)
        assert "NOPERM" not in ran.stderr, ran.stderr
    for key in (KEYS.waiting, KEYS.working, KEYS.paused):
        repository.ask("ZCARD", key)
    assert left.end() == 0
    assert refused(server) == []


def test_a_pod_can_send_to_the_pipelines_of_its_jobs(own_server: Callable[..., Schedule], server: Server) -> None:
    """Its user has the rights of these pipelines' producers and no others; a missing pipeline is reported."""
    with own_server(spec=SENDS, handlers=HANDLERS) as repository:
        specs = repository.folder / "specs"
        for name in ("mail", "other"):
            (specs / f"{name}.yaml").write_text(MAIL.replace("mail", name))
        pod = grant(repository, server, "scheduler")
        rules = user_with_role(server, pod)
        assert "~mail" in rules
        assert "~other" not in rules
        running = repository.pod(environ={"REDIS_USERNAME": pod, "REDIS_PASSWORD": SECRET})
        wait_for(lambda: repository.number("XLEN", "mail") >= 2, "it has sent")
        assert running.end() == 0
        assert refused(server) == []
        (specs / "mail.yaml").unlink()
        command = [sys.executable, "-m", "penstock", "acl", "trial", "--role", "scheduler"]
        told = subprocess.run(command, cwd=repository.folder, capture_output=True, text=True, check=True)
        assert "~mail" not in told.stdout
        assert told.stderr == ("a job sends to `mail`, which is missing or has errors; its rights are left out\n")
