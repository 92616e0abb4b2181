"""Each right that `penstock acl` gives is needed: without it, something that its user does is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import hiredis
import pytest
from event_loop import run_async, until
from operator_cli import OperatorCli
from pipeline_driver import LEASE, Clock, PipelineDriver, UnknownPods
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
from penstock.operating.dead_letters.choice import Filters, Walk
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

SELDOM = {"producer": ["+hdel"], "operator": ["+hdel"]}
"""What scripts call only where a command before it has failed half-way."""


@pytest.mark.parametrize(
    ("role", "said"),
    [
        ("producer", PLAIN), ("producer", DEDUP), ("producer", HISTORY), ("producer", f"{DROPS}\n{SMALL}"),
        ("worker", PLAIN), ("scaler", PLAIN), ("scaler", HISTORY),
        ("janitor", PLAIN), ("janitor", HISTORY), ("janitor", FOREIGN),
        ("operator", DEDUP),
    ],
)  # fmt: skip
def test_each_right_is_needed(grant: Callable[..., RedisUser], target: Target, role: str, said: str) -> None:
    if said == HISTORY and not counts_lag(target):
        return
    user = grant(role, said)
    does = {"producer": produces, "worker": works, "scaler": scales, "janitor": tidies, "operator": operates}[role]

    def refused_nothing(*without: str) -> bool:
        """Whether all goes well with the other rights."""
        user.cli.trial.target.flush()
        for server in user.servers():
            server.ask("SCRIPT", "FLUSH")
        user.grant(*without)
        user.forget_refusals()
        try:
            does(user)
        except (RedisTrouble, SendError, AssertionError, hiredis.ReplyError):
            if not without:
                raise
            return False
        return user.refusals() == []

    assert refused_nothing(), user.refusals()
    needless = [rule for rule in (*user.commands, *user.keys) if refused_nothing(rule)]
    of_7 = ["+xinfo|stream"] if role in ("janitor", "worker") and not counts_lag(target) else []
    assert needless == [*SELDOM.get(role, []), *of_7]


def seldom(user: RedisUser) -> list[tuple[str | int, ...]]:
    """What a link says when a script was lost between two questions, or a slot is on its way to another node."""
    on_a_cluster = user.cli.pipeline.redis.topology == "cluster"
    return [("EVAL", "return 1", 0), *([("ASKING",)] if on_a_cluster else [])]


async def says(user: RedisUser, link: Link) -> None:
    """All of that."""
    for words in seldom(user):
        await link.call(*words)


async def sends(pipeline: ResolvedPipeline, credentials: Credentials) -> None:
    """Now, later, twice, beyond the limit; and asks for a result."""
    async with Producer(pipeline, credentials=credentials) as producer:
        sent = await producer.send({"n": 0})
        for n in range(1, 25):
            await producer.send({"n": n})
        if pipeline.spec.message.dedup is not None:
            assert isinstance(await producer.send({"n": 24}), Duplicate)
        await producer.send({"n": 100}, delay=3600)
        await producer.result(sent)


def produces(user: RedisUser) -> None:
    """All that a producer does, also where a backlog is hard to tell, and where the group has vanished."""
    admin = user.cli.driver
    admin.create_group()
    _, _, unread = admin.add(3)
    admin.read(admin.join_group(), 1)
    admin.ask("XDEL", admin.keys.stream, unread)

    async def scenario() -> None:
        await sends(user.driver().pipeline, user.credentials)
        admin.ask("XGROUP", "DESTROY", admin.keys.stream, admin.keys.group)
        with suppress(BacklogFull):  # what was given out nobody knows then, so nothing may be dropped
            await sends(user.driver().pipeline, user.credentials)
        link = user.driver().link()
        try:
            await says(user, link)
        finally:
            await link.close()

    run_async(scenario())


def works(user: RedisUser) -> None:
    """All steps of a worker's."""
    admin, driver = user.cli.driver, user.driver()

    async def scenario() -> None:
        link = driver.link()
        try:
            for words in [("PING",), ("INFO", "server"), ("CLIENT", "UNBLOCK", 1)]:
                await link.call(*words)
            await says(user, link)
            await lives(Hand(link, driver), admin)
            await settles(Hand(link, driver), admin)
        finally:
            await link.close()

    run_async(scenario())


@dataclass
class Hand:
    """Runs scripts as their headers say, for one consumer."""

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


async def lives(hand: Hand, admin: PipelineDriver) -> None:
    """A group, also again; a life of its own; a life that is lost."""
    keys, spec = admin.keys, admin.pipeline.spec
    lives = (keys.stream, keys.alive)
    assert await ensure_group(hand.link, keys, spec) == "made"
    assert await ensure_group(hand.link, keys, spec) == "there"
    admin.ask("XGROUP", "DESTROY", keys.stream, keys.group)
    admin.ask("HSET", keys.uncharged, "~count", 5)
    assert await ensure_group(hand.link, keys, spec) == "again"
    await hand.link.call("XPENDING", keys.stream, keys.group)
    assert await hand.run("register", lives, keys.group, hand.consumer, LEASE) == 1
    assert await hand.run("renew", (keys.alive,), hand.consumer, LEASE) == 1
    done(admin, deleted=True)
    admin.add(1)
    assert (await measure(hand.link, keys)).unread == 1
    lost = admin.join_group("gone", lease=-1)
    admin.read(lost)
    admin.ask("XGROUP", "CREATECONSUMER", keys.stream, keys.group, "late~00000002")
    time, given, over = items(await hand.run("overdue", lives, keys.group, LEASE, 10))
    assert (given, over) == (1, lost.encode())
    taken = items(await hand.run("take_over", lives, keys.group, LEASE, lost, 10, number(time)))
    assert taken[:2] == [b"done", 1]
    assert await hand.run("deregister", [*lives, keys.position], keys.group, "late~00000002", 1) == 1


async def settles(hand: Hand, admin: PipelineDriver) -> None:
    """Every way for a message to go on."""
    keys = admin.keys
    ids = admin.add(9)
    admin.ask("HSET", keys.uncharged, ids[0], 0, ids[1], 0)
    admin.ask("HSET", keys.crashed, ids[0], "crash", ids[1], "crash")
    group = ("GROUP", keys.group, hand.consumer, "COUNT", 10)
    await hand.link.call("XREADGROUP", *group, "STREAMS", keys.stream, ">")
    marks = (keys.uncharged, keys.crashed, keys.finished)
    assert await hand.step("settle", (keys.stream, *marks), ids[0], before=["1"]) == [1]
    admin.ask("XGROUP", "CREATE", keys.stream, "debug", "$")
    assert await hand.step("settle", (keys.stream, *marks), ids[8], before=["1"]) == [1]
    admin.ask("XGROUP", "DESTROY", keys.stream, "debug")
    result = (keys.stream, *marks, keys.result + "x")
    assert await hand.step("settle_with", result, ids[1], before=["1", "{}", 1000]) == [1]
    parks = (keys.stream, keys.parked, keys.uncharged, keys.crashed)
    assert await hand.step("park", parks, ids[2], 0, 1, 0) == [1]
    assert await hand.step("park", parks, ids[3], 0, 0, 1) == [1]
    admin.ask("SET", keys.dedup + "k", "own")
    buries = (keys.stream, keys.dead, *marks, keys.dedup + "k")
    buried = await hand.step("bury", buries, ids[4], before=["1", "own", 2, "data", "{}"])
    assert isinstance(buried, list)
    assert isinstance(buried[0], bytes), "the id of its dead letter"
    assert await hand.step("give_back", (keys.stream, keys.uncharged), ids[5], 0, "~ready") == [1]
    delays(admin, 1)

    async def nothing_is_due() -> bool:
        await promote(hand.link, keys)
        return admin.number("ZCARD", keys.delayed) == 0

    await until(nothing_is_due, "what is due goes on")
    claims = (keys.stream, keys.alive, keys.uncharged, keys.crashed, keys.position)
    _, _, *claimed = items(await hand.run("claim", claims, keys.group, hand.consumer, 10, 10, 5, "idle", 60_000))
    assert len(claimed) == 4, "two suspects, and two that are ready"


def delays(admin: PipelineDriver, wait: int) -> None:
    keys = admin.keys
    told = ("01ARZ3NDEKTSV4RRFFQ69G5FA0", wait, 2, "data", "{}")
    sends_to = (keys.stream, keys.delayed, keys.bodies, keys.position)
    admin.run("send", sends_to, keys.group, "until-done", 100, "reject", 0, *told)


def scales(user: RedisUser) -> None:
    """KEDA's questions."""
    keys, admin = user.cli.keys, user.cli.driver
    admin.create_group()
    admin.add(1)
    questions: list[tuple[str | int, ...]] = [("PING",), ("XLEN", keys.stream), ("EVAL", KEDA_LIST, 1, keys.parked)]
    if not admin.pipeline.spec.stream.retention.keeps_nothing:
        questions += [("INFO",), ("XINFO", "GROUPS", keys.stream), ("XPENDING", keys.stream, keys.group)]
    if admin.pipeline.redis.topology == "cluster":
        questions.append(("CLUSTER", "SLOTS"))
    for words in questions:
        call_raw(user, *words)
    admin.park(admin.read(admin.join_group()))
    call_raw(user, "EVAL", KEDA_LIST, 1, keys.parked)


def tidies(user: RedisUser) -> None:
    """Rounds of a janitor, what it sees, what it would do, and the question who leads."""
    admin, driver = user.cli.driver, user.driver()
    clock = Clock()

    async def scenario() -> None:
        links = driver.links()
        try:
            rounds = driver.rounds(links, monotonic=clock)
            await rounds.make()
            done(admin, deleted=True)
            admin.add(1)
            await driver.monitor(links).look()
            done(admin, deleted=False)
            admin.ask("SADD", admin.keys.finished, *done(admin, deleted=False))
            fill_every_state(admin)
            await plan_rounds([driver.pipeline], [links.pairs[0].work], UnknownPods())
            for _ in range(12):
                clock.move(1)
                assert await rounds.make(), "nothing failed"
            assert admin.suspect, "the lost one was taken over"
            clock.move(3600)
            assert await rounds.make(), "nothing failed"
            await links.lead.call("PING")
            lock = LeaderLock(links.lead, lock_of("dev", [driver.keys]))
            assert await lock.ask()
            await lock.give_up()
            await says(user, links.lead)
        finally:
            await links.close()

    run_async(scenario())


def done(admin: PipelineDriver, *, deleted: bool) -> list[str]:
    """As somebody else's worker would."""
    admin.add(2)
    ids = admin.read(admin.join_group())
    admin.ask("XACK", admin.keys.stream, admin.keys.group, *ids)
    if deleted:
        admin.ask("XDEL", admin.keys.stream, *ids)
    return ids


def operates(user: RedisUser) -> None:
    """All verbs, beneath the terminal."""
    cli, keys = user.cli, user.cli.keys
    cli.driver.create_group()
    fill_every_state(cli.driver)
    letters = cli.died(2)

    async def scenario() -> None:
        link = user.driver().link()
        try:
            await sees(link, keys)
            await handles(link, keys, cli, letters)
            await says(user, link)
        finally:
            await link.close()
        await sends(user.driver().pipeline, user.credentials)

    run_async(scenario())


async def sees(link: Link, keys: PipelineKeys) -> None:
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


async def handles(link: Link, keys: PipelineKeys, cli: OperatorCli, letters: list[str]) -> None:
    """`dlq`."""
    walk = Walk(link, keys, cli.lens)
    assert [one async for one in walk.chosen(Filters(), await walk.now(), until=await walk.last(), newest_first=True)]
    replayer = Replayer(link, keys, Pace(None))
    await replayer.prepare()
    assert [one.entry async for one in replayer.replay(walk.named(letters[:1]))]
    assert [len(one.deleted) async for one in purge(link, keys, walk.named(letters[1:]))] == [1]
