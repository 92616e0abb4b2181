"""Redis users with exactly the rights that `penstock acl` prints, and the commands that Redis refused them."""

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
"""The script of KEDA's list trigger."""

PASSWORD = "a long one"  # noqa: S105 - of a server that runs as long as the test


@dataclass
class RedisUser:
    """A user on every server of the target."""

    name: str
    role: str
    rules: Sequence[str]
    cli: OperatorCli
    sections: str
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
        """A driver whose connections use this user; `ask` keeps the rights of the tests."""
        target = copy.copy(self.cli.trial.target)
        target.credentials = self.credentials
        return PipelineDriver(target, self.sections)

    def grant(self, *without: str) -> None:
        """Grant all printed rules except some."""
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
        """Every command that Redis refused this user, from its log."""
        refused = []
        for server in self.servers():
            log = server.ask("ACL", "LOG")
            assert isinstance(log, list)
            for flat in log:
                assert isinstance(flat, list)
                one: dict[Any, Any] = dict(zip(flat[::2], flat[1::2], strict=True))
                if one["username"] == self.name:
                    refused.append(f"{one['reason']} {one['object']} ({one['context']})")
        return refused


def version(target: Target) -> str:
    """The Redis version as in a platform file."""
    match = re.search(r"redis_version:(\d+\.\d+)", str(target.servers[0].ask("INFO", "server")))
    assert match
    return match[1]


def counts_lag(target: Target) -> bool:
    """Whether Redis counts the lag. Before 7 it does not: pipelines may not keep history, and less is measured."""
    return not version(target).startswith("6.")


def declare_redis(cli: OperatorCli) -> None:
    """Write the target's Redis into the platform file."""
    target = cli.trial.target
    redis = target.redis.model_dump(mode="json", include={"topology", "addresses", "master", "tls"}, exclude_none=True)
    environment = {"namespace": "tests", "redis": redis, "versions": {"redis": version(target)}}
    file = cli.trial.folder / "penstock.yaml"
    file.write_text(yaml.safe_dump({"kind": "platform", "environments": {"dev": environment}}))


@contextmanager
def user_with_role(cli: OperatorCli, role: str, sections: str) -> Iterator[RedisUser]:
    """Create a user with the rights of a role."""
    declare_redis(cli)
    output = json.loads(cli.penstock("acl", "trial", "--json", "--role", role, redis="").out)
    [user] = output["users"]
    one = RedisUser(user["user"], role, user["rules"], cli, sections)
    one.grant()
    one.forget_refusals()
    try:
        yield one
    finally:
        one.revoke()


def call(user: RedisUser, *words: str | float) -> object:
    """Send a command as this user."""

    async def send() -> object:
        link = user.driver().link()
        try:
            return await link.call(*words)
        finally:
            await link.close()

    return run_async(send())


def call_raw(user: RedisUser, *words: str | float) -> Reply:
    """Send a command as this user with another client."""
    moved: hiredis.ReplyError | None = None
    for server in user.cli.trial.target.masters():
        client = RawClient(LOOPBACK, server.port)
        try:
            client.ask("AUTH", user.name, PASSWORD)
            return client.ask(*words)
        except hiredis.ReplyError as error:
            if not str(error).startswith("MOVED"):
                raise
            moved = error
        finally:
            client.close()
    raise AssertionError(moved)


def fill_every_state(driver: PipelineDriver) -> None:
    """Put something into every state: new, running, parked and due, delayed, lost, a ghost, old dead letters."""
    driver.add(12)
    driver.read(driver.join_group(), 2)
    driver.park(driver.read(driver.join_group(), 2))
    driver.read("foreign", 1)
    driver.read(driver.join_group("gone", lease=-1), 2)
    ids = driver.read(driver.join_group(), 1)
    driver.ask("XACK", driver.keys.stream, driver.keys.group, *ids)
    driver.ask("HSET", driver.keys.uncharged, ids[0], 1)
    driver.ask("HSET", driver.keys.crashed, ids[0], "crash")
    keys = (driver.keys.stream, driver.keys.delayed, driver.keys.bodies, driver.keys.position)
    for number, wait in enumerate((1, 3_600_000)):
        message = (f"01ARZ3NDEKTSV4RRFFQ69G5FA{number}", wait, 2, "data", '{"n": 5}')
        driver.run("send", keys, driver.keys.group, "until-done", 100, "reject", 0, *message)
    driver.ask("HSET", driver.keys.bodies, "01ARZ3NDEKTSV4RRFFQ69G5FA7", "\x90")
    driver.ask("XADD", driver.keys.dead, "1-1", "data", "{}")
