"""Users of Redis with exactly the rights that `penstock acl` prints, and what Redis refused them."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import hiredis
import yaml
from event_loop import run_async
from operator_cli import OperatorCli
from pipeline_driver import PipelineDriver
from raw_client import RawClient, Reply
from servers import Server
from targets import Target

from penstock.embedded import LOOPBACK
from penstock.wire.credentials import Credentials

PLAIN = "message: {schema: {type: object}}\nretries: {attempts: 2, backoff: {first: 10ms}}"
HISTORY = "stream: {key: trial, group: trial, retention: {keep: {length: 1}}}"
FOREIGN = "stream: {key: trial, group: trial, foreign_workers: true}"
DROPS = "stream: {key: trial, group: trial, backlog: {limit: 20, when_full: drop-oldest, lossy: true}}"
SMALL = "work: {concurrency: 1, lease: 10s}\nscaling: {replicas: {max: 1}}"
DEDUP = "message: {dedup: {by: n, window: 1h}}"

KEDA_LIST = """\
local listName = KEYS[1]
local listType = redis.call('type', listName).ok
local cmd = {zset = 'zcard', set = 'scard', list = 'llen', hash = 'hlen', none = 'llen'}
return redis.call(cmd[listType], listName)
"""
"""What KEDA's list trigger runs."""

PASSWORD = "a long one"  # noqa: S105 - of a server that lives as long as the test


@dataclass
class RedisUser:
    """One user, on every server of the target."""

    name: str
    role: str
    rules: Sequence[str]
    cli: OperatorCli
    said: str
    """Sections of the spec."""

    @property
    def credentials(self) -> Credentials:
        return Credentials(username=self.name, password=PASSWORD, ca_file=self.cli.trial.target.credentials.ca_file)

    @property
    def environ(self) -> dict[str, str]:
        return {"REDIS_USERNAME": self.name, "REDIS_PASSWORD": PASSWORD}

    @property
    def commands(self) -> list[str]:
        return [rule for rule in self.rules if rule.startswith("+")]

    @property
    def keys(self) -> list[str]:
        return [rule for rule in self.rules if "~" in rule]

    def driver(self) -> PipelineDriver:
        """The pipeline, for what runs as this user in this process; `ask` stays the tests' own."""
        target = copy.copy(self.cli.trial.target)
        target.credentials = self.credentials
        return PipelineDriver(target, self.said)

    def grant(self, *without: str) -> None:
        """All that is printed, but for these."""
        for server in self.servers():
            server.ask("ACL", "SETUSER", self.name, "reset")
            rules = [rule for rule in self.rules if rule not in without]
            server.ask("ACL", "SETUSER", self.name, *rules)
            server.ask("ACL", "SETUSER", self.name, "on", f">{PASSWORD}")

    def revoke(self) -> None:
        for server in self.servers():
            server.ask("ACL", "DELUSER", self.name)

    def servers(self) -> Sequence[Server]:
        return self.cli.trial.target.servers

    def forget_refusals(self) -> None:
        for server in self.servers():
            server.ask("ACL", "LOG", "RESET")

    def refusals(self) -> list[str]:
        """What Redis refused, also where nobody said so."""
        found = []
        for server in self.servers():
            log = server.ask("ACL", "LOG")
            assert isinstance(log, list)
            for flat in log:
                assert isinstance(flat, list)
                one: dict[Any, Any] = dict(zip(flat[::2], flat[1::2], strict=True))
                if one["username"] == self.name:
                    found.append(f"{one['reason']} {one['object']} ({one['context']})")
        return found


def version(target: Target) -> str:
    """As a platform file says it."""
    told = re.search(r"redis_version:(\d+\.\d+)", str(target.servers[0].ask("INFO", "server")))
    assert told
    return told[1]


def counts_lag(target: Target) -> bool:
    """Redis before 7 does not: no pipeline on it may keep history, and less is measured."""
    return not version(target).startswith("6.")


def declare_redis(cli: OperatorCli) -> None:
    """The platform file says what Redis this is."""
    target = cli.trial.target
    redis = target.redis.model_dump(mode="json", include={"topology", "addresses", "master", "tls"}, exclude_none=True)
    environment = {"namespace": "tests", "redis": redis, "versions": {"redis": version(target)}}
    file = cli.trial.folder / "penstock.yaml"
    file.write_text(yaml.safe_dump({"kind": "platform", "environments": {"dev": environment}}))


@contextmanager
def user_with_role(cli: OperatorCli, role: str, said: str) -> Iterator[RedisUser]:
    """A user with the rights of a role."""
    declare_redis(cli)
    told = json.loads(cli.penstock("acl", "trial", "--json", "--role", role, redis="").out)
    [user] = told["users"]
    one = RedisUser(user["user"], role, user["rules"], cli, said)
    one.grant()
    one.forget_refusals()
    try:
        yield one
    finally:
        one.revoke()


def call(user: RedisUser, *words: str | float) -> object:
    """One command as this user."""

    async def ask() -> object:
        link = user.driver().link()
        try:
            return await link.call(*words)
        finally:
            await link.close()

    return run_async(ask())


def call_raw(user: RedisUser, *words: str | float) -> Reply:
    """The same, as somebody else's client would."""
    moved: hiredis.ReplyError | None = None
    for server in user.cli.trial.target.masters():
        raw = RawClient(LOOPBACK, server.port)
        try:
            raw.ask("AUTH", user.name, PASSWORD)
            return raw.ask(*words)
        except hiredis.ReplyError as error:
            if not str(error).startswith("MOVED"):
                raise
            moved = error
        finally:
            raw.close()
    raise AssertionError(moved)


def fill_every_state(driver: PipelineDriver) -> None:
    """Something for everybody: new, running, parked and due, delayed and due, lost, a ghost, dead letters of old."""
    driver.add(12)
    driver.read(driver.join_group(), 2)
    driver.park(driver.read(driver.join_group(), 2))
    driver.read("stranger", 1)
    driver.read(driver.join_group("gone", lease=-1), 2)
    ids = driver.read(driver.join_group(), 1)
    driver.ask("XACK", driver.keys.stream, driver.keys.group, *ids)
    driver.ask("HSET", driver.keys.uncharged, ids[0], 1)
    driver.ask("HSET", driver.keys.crashed, ids[0], "crash")
    keys = (driver.keys.stream, driver.keys.delayed, driver.keys.bodies, driver.keys.position)
    for number, wait in enumerate((1, 3_600_000)):
        told = (f"01ARZ3NDEKTSV4RRFFQ69G5FA{number}", wait, 2, "data", '{"n": 5}')
        driver.run("send", keys, driver.keys.group, "until-done", 100, "reject", 0, *told)
    driver.ask("HSET", driver.keys.bodies, "01ARZ3NDEKTSV4RRFFQ69G5FA7", "\x90")
    driver.ask("XADD", driver.keys.dead, "1-1", "data", "{}")
