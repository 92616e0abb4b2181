"""Each role works with exactly the rights that `penstock acl` prints, and Redis refuses everything else."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest
from event_loop import run_async
from operator_cli import first_line
from patience import PATIENCE
from redis_users import (
    DEDUP,
    DROPS,
    HISTORY,
    KEDA_LIST,
    PLAIN,
    SMALL,
    RedisUser,
    call,
    call_raw,
    counts_lag,
    fill_every_state,
)
from servers import wait_for
from targets import Target

from penstock.producer.producer import Producer
from penstock.wire.errors import Refused
from penstock_spec.kinds.pipeline.rights.roles import Role

Grant = Callable[..., RedisUser]


class TestProducer:
    """The real producer, as its Redis user."""

    @pytest.mark.parametrize(
        "spec",
        [PLAIN, DEDUP, f"{DEDUP}\n{DROPS}\n{SMALL}", f"{HISTORY}\n{DEDUP}", f"{DROPS}\n{SMALL}"],
        ids=["plain", "dedup", "dedup-drops", "history", "drops"],
    )
    @pytest.mark.wire
    def test_it_can_send_and_read_results(self, grant: Grant, target: Target, spec: str) -> None:
        """It sends at once, delayed, twice and beyond the limit, and reads a result; Redis refuses no command."""
        if HISTORY in spec and not counts_lag(target):
            return
        user = grant("producer", spec)
        cli, pipeline = user.cli, user.driver().pipeline
        cli.driver.create_group()

        async def scenario() -> None:
            async with Producer(pipeline, credentials=user.credentials) as producer:
                sent = await producer.send({"n": 0})
                for n in range(1, 30):
                    await producer.send({"n": n})
                if "dedup" in spec:
                    await producer.send({"n": 1})
                await producer.send({"n": 100}, delay=3600)
                await producer.result(sent)

        run_async(scenario())
        assert user.refusals() == []
        assert cli.driver.number("ZCARD", cli.keys.delayed) == 1
        assert cli.driver.number("XLEN", cli.keys.stream) == (19 if "drop" in spec else 30)

    def test_it_cannot_read_or_delete(self, grant: Grant) -> None:
        user = grant("producer")
        keys = user.cli.keys
        user.cli.driver.create_group()
        user.cli.driver.add(1)
        for command in (
            ("XRANGE", keys.stream, "-", "+"),
            ("XREVRANGE", keys.stream, "+", "-"),
            ("XREAD", "STREAMS", keys.stream, "0"),
            ("XINFO", "STREAM", keys.stream),
            ("XREADGROUP", "GROUP", keys.group, "me", "STREAMS", keys.stream, ">"),
            ("XDEL", keys.stream, "1-1"),
            ("XTRIM", keys.stream, "MAXLEN", 0),
            ("DEL", keys.stream),
            ("HGETALL", keys.bodies),
            ("HGET", keys.bodies, "x"),
            ("XGROUP", "DESTROY", keys.stream, keys.group),
            ("XADD", keys.dead, "*", "a", "b"),
            ("SET", keys.result + "x", "y"),
        ):
            refuses(user, *command)


def refuses(user: RedisUser, *command: str | int) -> None:
    with pytest.raises(Refused) as refused:
        call(user, *command)
    assert refused.value.code == "NOPERM", f"{command}: {refused.value}"


class TestWorker:
    """The process of a real worker, as its Redis user."""

    HANDLERS = """\
import ledger

async def handle(message, context):
    ledger.note("start", str(message["n"]), context.fence)
    if message["n"] == 1:
        raise ValueError("no")
    if message["n"] == 3:
        context.leave({"n": 3})
"""

    @pytest.mark.wire
    def test_every_step_of_a_message_succeeds(self, grant: Grant) -> None:
        """Messages are done, fail, die, are taken over and are delayed; Redis refuses no command."""
        spec = f"{PLAIN}\nwork: {{lease: 10s, block: 1s}}"
        user = grant("worker", spec, handlers=self.HANDLERS)
        cli = user.cli
        cli.driver.create_group()
        cli.driver.lost(1, name="gone")
        cli.ask("SET", f"{cli.keys.dedup}x", "01ARZ3NDEKTSV4RRFFQ69G5FA1")
        keys = (cli.keys.stream, cli.keys.delayed, cli.keys.bodies, cli.keys.position)
        delayed_message = ("01ARZ3NDEKTSV4RRFFQ69G5FA0", 100, 2, "data", '{"n": 50}')
        cli.driver.run("send", keys, cli.keys.group, "until-done", 100, "reject", 0, *delayed_message)
        fields = ("penstock-id", "01ARZ3NDEKTSV4RRFFQ69G5FA1", "penstock-key", "x")
        cli.ask("XADD", cli.keys.stream, "*", "data", '{"n": 1}', *fields)
        cli.trial.send([{"n": n} for n in (3, 4, 5, 6)])
        worker = cli.trial.start(
            *("worker", "trial", "--redis", cli.trial.target.url, "--listen", "127.0.0.1:0"), environ=user.environ
        )
        worker.ready()
        cli.trial.until_drained()
        wait_for(lambda: cli.driver.number("ZCARD", cli.keys.delayed) == 0, "the delayed message is promoted")
        cli.trial.until_drained()
        [dead_letter] = cli.trial.dead()
        assert dead_letter["penstock-dead-error"] == "ValueError: no"
        kept = cli.ask("GET", f"{cli.keys.dedup}x")
        assert kept == " 01ARZ3NDEKTSV4RRFFQ69G5FA1", "the key of a dead message has no holder"
        assert [key for key in cli.driver.everything() if key.startswith(cli.keys.result)]
        assert worker.end() == 0
        assert user.refusals() == []
        started = {line.split()[1] for line in cli.trial.ledger.read_text().splitlines()}
        assert started == {"0", "1", "3", "4", "5", "6", "50"}

    def test_unneeded_rights_are_refused(self, grant: Grant) -> None:
        user = grant("worker")
        keys = user.cli.keys
        user.cli.driver.create_group()
        for command in (
            ("XTRIM", keys.stream, "MAXLEN", 0),
            ("XGROUP", "DESTROY", keys.stream, keys.group),
            ("XREAD", "STREAMS", keys.stream, "0"),
            ("HGETALL", keys.bodies),
            ("RENAME", keys.stream, keys.dead),
            ("CLIENT", "KILL", "ID", 1),
            ("CLIENT", "LIST"),
        ):
            refuses(user, *command)


class TestScaler:
    """KEDA's commands, as its Redis user."""

    @pytest.mark.parametrize("spec", [PLAIN, HISTORY], ids=["until-done", "history"])
    @pytest.mark.wire
    def test_its_triggers_can_read(self, grant: Grant, target: Target, spec: str) -> None:
        """Also while nothing is parked, the usual state."""
        if spec == HISTORY and not counts_lag(target):
            return
        user = grant("scaler", spec)
        cli = user.cli
        cli.driver.create_group()
        cli.driver.add(3)
        queries: list[tuple[str | int, ...]] = [("PING",), ("XLEN", cli.keys.stream)]
        if spec == HISTORY:
            queries += [
                ("INFO",),
                ("XINFO", "GROUPS", cli.keys.stream),
                ("XPENDING", cli.keys.stream, cli.keys.group),
            ]
        for command in queries:
            call_raw(user, *command)
        parked = ("EVAL", KEDA_LIST, 1, cli.keys.parked)
        assert call_raw(user, *parked) == 0
        cli.driver.park(cli.driver.read(cli.driver.join_group()), wait=1000)
        assert call_raw(user, *parked) == 3

    @pytest.mark.parametrize("spec", [PLAIN, HISTORY], ids=["until-done", "history"])
    def test_it_cannot_read_or_write(self, grant: Grant, target: Target, spec: str) -> None:
        if spec == HISTORY and not counts_lag(target):
            return
        user = grant("scaler", spec)
        keys = user.cli.keys
        for command in (
            ("XRANGE", keys.stream, "-", "+"),
            ("XADD", keys.stream, "*", "a", "b"),
            ("XINFO", "STREAM", keys.stream),
            ("ZRANGE", keys.parked, 0, -1),
            ("ZADD", keys.parked, 1, "x"),
            ("XLEN", keys.dead),
            ("DEL", keys.parked),
            ("EVALSHA", "0" * 40, 0),
            ("XREADGROUP", "GROUP", keys.group, "me", "STREAMS", keys.stream, ">"),
        ):
            refuses(user, *command)


class TestJanitor:
    """The real janitor, as its Redis user."""

    @pytest.mark.parametrize("spec", [PLAIN, HISTORY], ids=["until-done", "history"])
    @pytest.mark.wire
    def test_rounds_and_dry_runs_succeed(self, grant: Grant, target: Target, spec: str) -> None:
        """Run as processes: Redis refuses no command, not even one whose error the janitor ignores."""
        if spec == HISTORY and not counts_lag(target):
            return
        user = grant("janitor", spec)
        cli = user.cli
        cli.driver.create_group()
        fill_every_state(cli.driver)
        for option in ("--dry-run", "--once"):
            process = cli.start("janitor", option, "--listen", "off", environ=user.environ)
            out, err = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, out + err
        assert user.refusals() == []

    def test_unneeded_rights_are_refused(self, grant: Grant) -> None:
        user = grant("janitor")
        keys = user.cli.keys
        user.cli.driver.create_group()
        for command in (
            ("XREADGROUP", "GROUP", keys.group, "me", "STREAMS", keys.stream, ">"),
            ("XREAD", "STREAMS", keys.stream, "0"),
            ("XGROUP", "DESTROY", keys.stream, keys.group),
            ("HGETALL", keys.bodies),
            ("GET", keys.dedup + "x"),
            ("GET", keys.result + "x"),
            ("GET", "penstock:janitor:other:1"),
        ):
            refuses(user, *command)


class TestOperator:
    """A person at the command line, as the operator's Redis user."""

    @pytest.mark.wire
    def test_every_verb_works(self, grant: Grant, monkeypatch: pytest.MonkeyPatch) -> None:
        user = grant("operator", f"{DEDUP}\nretries: {{attempts: 2}}")
        cli = user.cli
        for name, value in user.environ.items():
            monkeypatch.setenv(name, value)
        cli.driver.create_group()
        fill_every_state(cli.driver)
        cli.died(3)
        assert cli.penstock("status").code == 0
        [*_, waiting] = cli.penstock("peek", "trial", "--json").objects
        assert cli.penstock("peek", "trial", waiting["id"]).code == 0
        assert cli.penstock("send", "trial", '{"n": 1}').code == 0
        first, second, third, *_ = (one["id"] for one in cli.penstock("dlq", "list", "trial", "--json").objects)
        assert cli.penstock("dlq", "show", "trial", first).code == 0
        assert cli.penstock("dlq", "replay", "trial", second).code == 0
        assert cli.penstock("dlq", "replay", "trial", second, "--yes").code == 0
        assert cli.penstock("dlq", "purge", "trial", third, "--yes").code == 0
        process = cli.start("tail", "trial", "--last", "1", environ=user.environ)
        first_line(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert user.refusals() == []

    def test_unneeded_rights_are_refused(self, grant: Grant) -> None:
        user = grant("operator")
        keys = user.cli.keys
        user.cli.driver.create_group()
        for command in (
            ("XREADGROUP", "GROUP", keys.group, "me", "STREAMS", keys.stream, ">"),
            ("DEL", keys.stream),
            ("XACK", keys.stream, keys.group, "1-1"),
            ("XGROUP", "DESTROY", keys.stream, keys.group),
            ("HGETALL", keys.bodies),
            ("XCLAIM", keys.stream, keys.group, "me", 0, "1-1"),
            ("ZREM", keys.parked, "1-1"),
            ("XTRIM", keys.dead, "MAXLEN", 0),
        ):
            refuses(user, *command)


@pytest.mark.parametrize("role", [role.value for role in Role])
def test_no_role_has_unneeded_rights(grant: Grant, role: str) -> None:
    """Foreign keys, all keys, settings, other users, commands of other scripts and channels are refused."""
    user = grant(role)
    commands: list[tuple[str | int, ...]] = [
        ("FLUSHALL",),
        ("FLUSHDB",),
        ("CONFIG", "GET", "*"),
        ("KEYS", "*"),
        ("SCAN", 0),
        ("SHUTDOWN",),
        ("ACL", "LIST"),
        ("ACL", "WHOAMI"),
        ("MONITOR",),
        ("PUBLISH", "a", "b"),
        ("SUBSCRIBE", "a"),
        ("SAVE",),
        ("DBSIZE",),
        ("SCRIPT", "FLUSH"),
        ("CLIENT", "KILL", "ID", 1),
        ("REPLICAOF", "NO", "ONE"),
        ("GETDEL", user.cli.keys.stream),
        ("XLEN", "other"),
        ("XADD", "trial2", "*", "a", "b"),
        ("XLEN", "{trial}:other"),
        ("ZCARD", "{trial2}:trial:parked"),
    ]
    for one in commands:
        refuses(user, *one)
    for text in (
        "return redis.call('FLUSHALL')",
        "return redis.call('XLEN', 'other')",
        "return redis.call('KEYS', '*')",
    ):
        refuses(user, "EVAL", text, 0)
