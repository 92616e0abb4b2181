"""Every right that `penstock acl` grants is needed: without it, Redis refuses something that the user does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import hiredis
import pytest
from event_loop import run_async, until
from operator_cli import OperatorCli
from pipeline_driver import CLAIM_REST, LEASE, Clock, PipelineDriver, UnknownPods
from redis_users import (
    DEDUP,
    DROPS,
    FOREIGN,
    HISTORY,
    KEDA_LIST,
    PLAIN,
    SMALL,
    RedisUser,
    call_raw,
    counts_lag,
    fill_every_state,
)
from targets import Target

from penstock.janitor.dry_run import plan_rounds
from penstock.janitor.leader_lock import LeaderLock, lock_of
from penstock.keys import PipelineKeys
from penstock.maintenance.group import ensure_group
from penstock.maintenance.measure import measure
from penstock.maintenance.promote import promote
from penstock.maintenance.replies import items, number
from penstock.maintenance.unowned import reconcile_stream
from penstock.operating.dead_letters.choice import DeadLetterScan, Filters
from penstock.operating.dead_letters.pace import Pace
from penstock.operating.dead_letters.purge import purge
from penstock.operating.dead_letters.replay import Replayer
from penstock.operating.following import Follower
from penstock.operating.paging import once
from penstock.operating.throughput import counts
from penstock.operating.waiting import ALL, Peek
from penstock.producer.errors import BacklogFull, SendError
from penstock.producer.outcomes import Duplicate
from penstock.producer.producer import Producer
from penstock.resolved import ResolvedPipeline
from penstock.scripts import script
from penstock.wire.command import Argument
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble, Reply
from penstock.wire.link import Link

RARE = {"producer": ["+hdel"], "operator": ["+hdel"]}
"""Commands that a script calls only after an earlier command failed half-way."""


@pytest.mark.parametrize(
    ("role", "spec"),
    [
        ("producer", PLAIN), ("producer", DEDUP), ("producer", HISTORY), ("producer", f"{DROPS}\n{SMALL}"),
        ("worker", PLAIN), ("scaler", PLAIN), ("scaler", HISTORY),
        ("janitor", PLAIN), ("janitor", HISTORY), ("janitor", FOREIGN),
        ("operator", DEDUP),
    ],
)  # fmt: skip
def test_each_right_is_needed(grant: Callable[..., RedisUser], target: Target, role: str, spec: str) -> None:
    if spec == HISTORY and not counts_lag(target):
        return
    user = grant(role, spec)
    act = {"producer": produces, "worker": works, "scaler": scales, "janitor": maintains, "operator": operates}[role]

    def refused_nothing(*without: str) -> bool:
        """Whether everything succeeds with the remaining rights."""
        user.cli.trial.target.flush()
        for server in user.servers():
            server.ask("SCRIPT", "FLUSH")
        user.grant(*without)
        user.forget_refusals()
        try:
            act(user)
        except (RedisTrouble, SendError, AssertionError, hiredis.ReplyError):
            if not without:
                raise
            return False
        return user.refusals() == []

    assert refused_nothing(), user.refusals()
    unneeded = [rule for rule in (*user.commands, *user.keys) if refused_nothing(rule)]
    since_redis_7 = {"janitor": ["+xack"]}
    unused = [] if counts_lag(target) else since_redis_7.get(role, [])
    assert unneeded == [*RARE.get(role, []), *unused]


def rare_commands(user: RedisUser) -> list[tuple[str | int, ...]]:
    """Commands of a link after Redis lost a script, or while a slot moves to another node."""
    on_a_cluster = user.cli.pipeline.redis.topology == "cluster"
    return [("EVAL", "return 1", 0), *([("ASKING",)] if on_a_cluster else [])]


async def sends_rare_commands(user: RedisUser, link: Link) -> None:
    for command in rare_commands(user):
        await link.call(*command)


async def sends(pipeline: ResolvedPipeline, credentials: Credentials) -> None:
    """Sends at once, delayed, twice and beyond the limit, and reads a result."""
    async with Producer(pipeline, credentials=credentials) as producer:
        sent = await producer.send({"n": 0})
        for n in range(1, 25):
            await producer.send({"n": n})
        if pipeline.spec.message.dedup is not None:
            assert isinstance(await producer.send({"n": 24}), Duplicate)
        await producer.send({"n": 100}, delay=3600)
        await producer.result(sent)


async def sends_at_the_limit(user: RedisUser) -> None:
    """Only there the finished messages count that stay for another group."""
    driver = user.driver()
    keys, link = driver.keys, driver.link()
    send_keys = (keys.stream, keys.delayed, keys.bodies, keys.position, keys.finished)
    message = ("01ARZ3NDEKTSV4RRFFQ69G5FA9", 0, 2, "data", "{}")
    try:
        arguments = (keys.group, "until-done", 1, "reject", 0, *message)
        assert await link.run(script("send"), send_keys, arguments) == [[b"full"]]
    finally:
        await link.close()


def produces(user: RedisUser) -> None:
    """Every command of a producer, also with a backlog that is hard to count and with a deleted group."""
    admin = user.cli.driver
    admin.create_group()
    _, _, unread = admin.add(3)
    admin.read(admin.join_group(), 1)
    admin.ask("XDEL", admin.keys.stream, unread)

    async def scenario() -> None:
        await sends(user.driver().pipeline, user.credentials)
        if admin.pipeline.spec.stream.retention.keeps_nothing:
            await sends_at_the_limit(user)
        admin.ask("XGROUP", "DESTROY", admin.keys.stream, admin.keys.group)
        with suppress(BacklogFull):  # without the group the delivered messages are unknown, so none may be dropped
            await sends(user.driver().pipeline, user.credentials)
        link = user.driver().link()
        try:
            await sends_rare_commands(user, link)
        finally:
            await link.close()

    run_async(scenario())


def works(user: RedisUser) -> None:
    """Every step of a worker."""
    admin, driver = user.cli.driver, user.driver()

    async def scenario() -> None:
        link = driver.link()
        try:
            for command in [("PING",), ("INFO", "server"), ("CLIENT", "UNBLOCK", 1)]:
                await link.call(*command)
            await sends_rare_commands(user, link)
            runner = ScriptRunner(link, driver)
            await registers(runner, admin)
            await settles(runner, admin)
        finally:
            await link.close()

    run_async(scenario())


@dataclass
class ScriptRunner:
    """Runs scripts for one consumer, with the keys and arguments of their headers."""

    link: Link
    driver: PipelineDriver
    consumer: str = "me~00000001"

    async def run(self, name: str, keys: Sequence[str], *args: Argument) -> Reply:
        return await self.link.run(script(name), keys, args)

    async def step(
        self, name: str, keys: Sequence[str], id_: str, *more: Argument, before: Sequence[Argument] = ()
    ) -> Reply:
        """One delivery, the first of its entry."""
        args = (self.driver.keys.group, self.consumer, *before, id_, id_, id_, 1, *more)
        return await self.run(name, keys, *args)


async def registers(runner: ScriptRunner, admin: PipelineDriver) -> None:
    """Create the group, also again; register a consumer; take over a lost one."""
    keys, spec = admin.keys, admin.pipeline.spec
    consumer_keys = (keys.stream, keys.alive)
    assert await ensure_group(runner.link, keys, spec) == "made"
    assert await ensure_group(runner.link, keys, spec) == "there"
    admin.ask("XGROUP", "DESTROY", keys.stream, keys.group)
    admin.ask("HSET", keys.uncharged, "~count", 5)
    assert await ensure_group(runner.link, keys, spec) == "again"
    await runner.link.call("XPENDING", keys.stream, keys.group)
    assert await runner.run("register", consumer_keys, keys.group, runner.consumer, LEASE) == 1
    assert await runner.run("renew", (keys.alive,), runner.consumer, LEASE) == 1
    done(admin, deleted=True)
    admin.add(1)
    assert (await measure(runner.link, keys)).unread == 1
    lost = admin.join_group("gone", lease=-1)
    admin.read(lost)
    admin.ask("XGROUP", "CREATECONSUMER", keys.stream, keys.group, "late~00000002")
    time, returned, expired = items(await runner.run("overdue", consumer_keys, keys.group, LEASE, 10))
    assert (returned, expired) == (1, lost.encode())
    lost_keys = (*consumer_keys, keys.crashed)
    result = items(await runner.run("take_over", lost_keys, keys.group, LEASE, lost, 10, number(time), 1))
    assert result[:2] == [b"done", 1]
    await goes_forward(runner.link, admin)
    await reconciles(runner.link, admin)
    assert await runner.run("deregister", [*consumer_keys, keys.position], keys.group, "late~00000002", 1) == 1


async def goes_forward(link: Link, admin: PipelineDriver) -> None:
    """Move a group forward that somebody set back, after a finished entry was delivered again."""
    *_, last = admin.add(2)
    reader = admin.join_group("reader")
    admin.read(reader)
    admin.ask("XGROUP", "DELCONSUMER", admin.keys.stream, admin.keys.group, reader)
    admin.ask("HSET", admin.keys.position, "last", last)  # as an earlier version records that all are finished
    admin.ask("HDEL", admin.keys.position, "covers")
    admin.ask("XGROUP", "SETID", admin.keys.stream, admin.keys.group, 0)
    admin.read(admin.join_group("reader"), 1)
    assert await ensure_group(link, admin.keys, admin.pipeline.spec, last.encode()) == "again"


async def reconciles(link: Link, admin: PipelineDriver) -> None:
    """Bring back what a group that was set back had delivered; repair the record of finished entries."""
    keys, spec = admin.keys, admin.pipeline.spec
    assert (await reconcile_stream(link, keys, spec)).brought_back == 2
    admin.ask("XGROUP", "CREATE", keys.stream, "debug", "0")
    admin.ask("SADD", keys.finished, *done(admin, deleted=False), *(f"{n}-1" for n in range(1, 50)))
    assert (await reconcile_stream(link, keys, spec)).forgotten
    admin.ask("XGROUP", "DESTROY", keys.stream, "debug")
    assert (await reconcile_stream(link, keys, spec)).finished_beside == 2


async def settles(runner: ScriptRunner, admin: PipelineDriver) -> None:
    """Every step that a message can take from running."""
    keys = admin.keys
    ids = admin.add(9)
    admin.ask("HSET", keys.uncharged, ids[0], 0, ids[1], 0)
    admin.ask("HSET", keys.crashed, ids[0], "crash", ids[1], "crash")
    group = ("GROUP", keys.group, runner.consumer, "COUNT", 10)
    await runner.link.call("XREADGROUP", *group, "STREAMS", keys.stream, ">")
    side_keys = (keys.uncharged, keys.crashed, keys.finished)
    assert await runner.step("settle", (keys.stream, *side_keys), ids[0], before=["1"]) == [1]
    admin.ask("XGROUP", "CREATE", keys.stream, "debug", "$")
    assert await runner.step("settle", (keys.stream, *side_keys), ids[8], before=["1"]) == [1]
    admin.ask("XGROUP", "DESTROY", keys.stream, "debug")
    result = (keys.stream, *side_keys, keys.result + "x")
    assert await runner.step("settle_with", result, ids[1], before=["1", "{}", 1000]) == [1]
    park_keys = (keys.stream, keys.parked, keys.uncharged, keys.crashed)
    assert await runner.step("park", park_keys, ids[2], 0, 1, 0, before=["1"]) == [1]
    assert await runner.step("park", park_keys, ids[3], 0, 0, 1, before=["1"]) == [1]
    admin.ask("SET", keys.dedup + "k", "own")
    bury_keys = (keys.stream, keys.dead, *side_keys, keys.dedup + "k")
    buried = await runner.step("bury", bury_keys, ids[4], before=["1", "own", 2, "data", "{}"])
    assert isinstance(buried, list)
    assert isinstance(buried[0], bytes), "the id of its dead letter"
    assert await runner.step("give_back", (keys.stream, keys.uncharged), ids[5], 0, "~ready") == [1]
    delays(admin, 1)

    await promote(runner.link, keys)  # raises at once without a right; `until` would go on

    async def delayed_is_empty() -> bool:
        await promote(runner.link, keys)
        return admin.number("ZCARD", keys.delayed) == 0

    await until(delayed_is_empty, "the due message is promoted")
    claim_keys = (keys.stream, keys.alive, keys.uncharged, keys.crashed, keys.position)
    arguments = (keys.group, runner.consumer, 10, 10, 5, "idle", 60_000, *CLAIM_REST)
    _, _, *claimed = items(await runner.run("claim", claim_keys, *arguments))
    assert len(claimed) == 6, "one suspect and five ready messages"


def delays(admin: PipelineDriver, wait: int) -> None:
    keys = admin.keys
    message = ("01ARZ3NDEKTSV4RRFFQ69G5FA0", wait, 2, "data", "{}")
    send_keys = (keys.stream, keys.delayed, keys.bodies, keys.position)
    admin.run("send", send_keys, keys.group, "until-done", 100, "reject", 0, *message)


def scales(user: RedisUser) -> None:
    """KEDA's queries."""
    keys, admin = user.cli.keys, user.cli.driver
    admin.create_group()
    admin.add(1)
    queries: list[tuple[str | int, ...]] = [("PING",), ("XLEN", keys.stream), ("EVAL", KEDA_LIST, 1, keys.parked)]
    if admin.pipeline.spec.stream.retention.keeps_nothing:
        admin.ask("SADD", keys.finished, "1-1")
        queries.append(("EVAL", KEDA_LIST, 1, keys.finished))
    else:
        queries += [("INFO",), ("XINFO", "GROUPS", keys.stream), ("XPENDING", keys.stream, keys.group)]
    if admin.pipeline.redis.topology == "cluster":
        queries.append(("CLUSTER", "SLOTS"))
    for query in queries:
        call_raw(user, *query)
    admin.park(admin.read(admin.join_group()))
    call_raw(user, "EVAL", KEDA_LIST, 1, keys.parked)


def maintains(user: RedisUser) -> None:
    """A janitor measures, runs rounds and dry runs, and takes the leader lock."""
    admin, driver = user.cli.driver, user.driver()
    clock = Clock()

    async def scenario() -> None:
        links = driver.links()
        try:
            rounds = driver.rounds(links, monotonic=clock)
            await rounds.make()
            done(admin, deleted=True)
            admin.add(1)
            await driver.monitor(links).update()
            done(admin, deleted=False)
            admin.ask("SADD", admin.keys.finished, *done(admin, deleted=False))
            fill_every_state(admin)
            await plan_rounds([driver.pipeline], [links.pairs[0].work], UnknownPods())
            for _ in range(12):
                clock.move(1)
                assert await rounds.make(), "no pipeline failed"
            assert admin.suspect, "the messages of the lost worker were taken over"
            clock.move(3600)
            assert await rounds.make(), "no pipeline failed"
            admin.ask("XGROUP", "CREATE", admin.keys.stream, "debug", "0")
            trimmed = [f"{n}-1" for n in range(1, 50)]
            admin.ask("SADD", admin.keys.finished, *trimmed, *done(admin, deleted=False))
            assert await rounds.make(), "no pipeline failed"
            admin.ask("XGROUP", "DESTROY", admin.keys.stream, "debug")
            await goes_forward(links.pairs[0].work, admin)
            await links.lead.call("PING")
            lock = LeaderLock(links.lead, lock_of("dev", [driver.keys]))
            assert await lock.take()
            await lock.give_up()
            await sends_rare_commands(user, links.lead)
        finally:
            await links.close()

    run_async(scenario())


def done(admin: PipelineDriver, *, deleted: bool) -> list[str]:
    """Acknowledge messages as a foreign worker does."""
    admin.add(2)
    ids = admin.read(admin.join_group())
    admin.ask("XACK", admin.keys.stream, admin.keys.group, *ids)
    if deleted:
        admin.ask("XDEL", admin.keys.stream, *ids)
    return ids


def operates(user: RedisUser) -> None:
    """Every verb of the operator, below the command line."""
    cli, keys = user.cli, user.cli.keys
    cli.driver.create_group()
    fill_every_state(cli.driver)
    dead_letters = cli.died(2)

    async def scenario() -> None:
        link = user.driver().link()
        try:
            await reads(link, keys)
            await replays_and_purges(link, keys, cli, dead_letters)
            await sends_rare_commands(user, link)
        finally:
            await link.close()
        await sends(user.driver().pipeline, user.credentials)

    run_async(scenario())


async def reads(link: Link, keys: PipelineKeys) -> None:
    """`status`, `peek` and `tail`."""
    await measure(link, keys)
    await counts(link, keys)
    peek = Peek(link, keys)
    for state in ALL:
        for one in await peek.first(state, 5):
            await peek.one(one.id)
    follower = Follower(link, keys.stream, once)
    assert await follower.begin(1)
    await link.call("XREAD", "STREAMS", keys.stream, "0")


async def replays_and_purges(link: Link, keys: PipelineKeys, cli: OperatorCli, dead_letters: list[str]) -> None:
    """`dlq`."""
    scan = DeadLetterScan(link, keys, cli.reader)
    assert [one async for one in scan.matching(Filters(), await scan.now(), until=await scan.last(), newest_first=True)]
    replayer = Replayer(link, keys, Pace(None))
    await replayer.prepare()
    assert [one.entry async for one in replayer.replay(scan.named(dead_letters[:1]))]
    assert [len(one.deleted) async for one in purge(link, keys, scan.named(dead_letters[1:]))] == [1]
