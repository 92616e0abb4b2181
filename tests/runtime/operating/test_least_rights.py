"""Each right that `penstock acl` gives is needed: without it, something that its user does is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from desk import Desk
from promises import keep, until
from rights import DEDUP, DROPS, HISTORY, KEDA_LIST, PLAIN, SMALL, Granted, call, worked
from servers import wait_for
from stage import Clock, Nobody, Stage
from steps import Steps

from penstock.janitor.lead import Lock, lock_of
from penstock.janitor.look import look
from penstock.keys import Keys
from penstock.operating.following import Follower
from penstock.operating.letters.choice import Filters, Walk
from penstock.operating.letters.pace import Pace
from penstock.operating.letters.purge import purge
from penstock.operating.letters.replay import Replayer
from penstock.operating.paging import once
from penstock.operating.throughput import counts
from penstock.operating.waiting import ALL, Peek
from penstock.producer.outcomes import Duplicate
from penstock.producer.producer import Producer
from penstock.resolved import Resolved
from penstock.tending.measure import measure
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble
from penstock.wire.link import Link

SELDOM = {"producer": ["+hdel"]}
"""What scripts call only where a command before it has failed half-way."""


@pytest.mark.parametrize(
    ("role", "said"),
    [
        ("producer", PLAIN), ("producer", DEDUP), ("producer", HISTORY), ("producer", f"{DROPS}\n{SMALL}"),
        ("worker", PLAIN), ("scaler", PLAIN), ("scaler", HISTORY), ("janitor", PLAIN), ("janitor", HISTORY),
        ("operator", DEDUP),
    ],
)  # fmt: skip
def test_each_right_is_needed(grant: Callable[..., Granted], role: str, said: str) -> None:
    user = grant(role, said)
    does = {"producer": produces, "worker": works, "scaler": scales, "janitor": tidies, "operator": operates}[role]

    def refused_nothing(*without: str) -> bool:
        """Whether all goes well with the other rights."""
        user.desk.trial.target.flush()
        for server in user.servers():
            server.ask("SCRIPT", "FLUSH")
        user.grant(*without)
        user.forget_refusals()
        try:
            does(user)
        except (RedisTrouble, AssertionError):
            if not without:
                raise
            return False
        return user.refusals() == []

    assert refused_nothing(), user.refusals()
    assert [rule for rule in (*user.commands, *user.keys) if refused_nothing(rule)] == SELDOM.get(role, [])


def seldom(user: Granted) -> list[tuple[str | int, ...]]:
    """What a link says when a script was lost between two questions, or a slot is on its way to another node."""
    on_a_cluster = user.desk.pipeline.redis.topology == "cluster"
    return [("EVAL", "return 1", 0), *([("ASKING",)] if on_a_cluster else [])]


async def says(user: Granted, link: Link) -> None:
    """All of that."""
    for words in seldom(user):
        await link.call(*words)


async def sends(pipeline: Resolved, credentials: Credentials) -> None:
    """Now, later, twice, beyond the limit; and asks for a result."""
    async with Producer(pipeline, credentials=credentials) as producer:
        for n in range(25):
            sent = await producer.send({"n": n})
        if pipeline.spec.message.dedup is not None:
            assert isinstance(await producer.send({"n": 24}), Duplicate)
        await producer.send({"n": 100}, delay=3600)
        await producer.result(sent)


def produces(user: Granted) -> None:
    """All that a producer does."""
    user.desk.stage.make()

    async def promise() -> None:
        await sends(user.stage().pipeline, user.credentials)
        link = user.stage().link()
        try:
            await says(user, link)
        finally:
            await link.close()

    keep(promise())


def works(user: Granted) -> None:
    """All steps of a worker's."""
    link = user.stage().link()
    steps = Steps(link, user.desk.keys)
    try:
        for words in [("PING",), ("INFO", "server"), ("CLIENT", "UNBLOCK", 1), *seldom(user)]:
            steps.ask(*words)
        lives(steps, user.desk.stage)
        settles(steps, user.desk.stage)
    finally:
        steps.__exit__(None, None, None)


def lives(steps: Steps, admin: Stage) -> None:
    """A group, also again; a life of its own; a life that is lost."""
    keys = steps.keys
    assert steps.ensure() == "made"
    assert steps.ensure() == "there"
    admin.ask("XGROUP", "DESTROY", keys.stream, keys.group)
    admin.ask("HSET", keys.uncharged, "~count", 5)
    assert steps.ensure() == "again"
    steps.ask("XPENDING", keys.stream, keys.group)
    assert steps.register("me~00000001") == 1
    assert steps.renew("me~00000001") == 1
    lost = admin.life("gone", lease=-1)
    admin.ask("XGROUP", "CREATECONSUMER", keys.stream, keys.group, "late~00000002")
    assert steps.overdue() == [lost]
    assert steps.take_over(lost) == "done"
    assert steps.deregister("late~00000002") == 1


def settles(steps: Steps, admin: Stage) -> None:
    """Every way for a message to go on."""
    keys = steps.keys
    ids = admin.add(8)
    admin.ask("HSET", keys.uncharged, ids[0], 0, ids[1], 0)
    admin.ask("SADD", keys.crashed, ids[0], ids[1])
    one, two, three, four, five, six, *_ = steps.read("me~00000001")
    assert steps.settle([one]) == [1]
    assert steps.settle_with(two) == 1
    assert steps.park([three], uncharged=1) == [1]
    assert steps.park([four], crashed=True) == [1]
    admin.ask("SET", keys.dedup + "k", "own")
    assert steps.bury(five, dedup=keys.dedup + "k", own="own") == 1
    assert steps.give_back([six]) == [1]
    delays(admin, 1)
    wait_for(lambda: steps.tend() and admin.number("ZCARD", keys.delayed) == 0, "what is due goes on")
    claims = steps.claim("me~00000001")
    assert claims is not None
    assert len(claims.claimed) == 3


def delays(admin: Stage, wait: int) -> None:
    keys = admin.keys
    told = ("01ARZ3NDEKTSV4RRFFQ69G5FA0", wait, 2, "data", "{}")
    sends_to = (keys.stream, keys.delayed, keys.bodies, keys.position)
    admin.run("send", sends_to, keys.group, "until-done", 100, "reject", 0, *told)


def scales(user: Granted) -> None:
    """KEDA's questions."""
    keys, admin = user.desk.keys, user.desk.stage
    admin.make()
    admin.add(1)
    questions: list[tuple[str | int, ...]] = [("PING",), ("XLEN", keys.stream), ("EVAL", KEDA_LIST, 1, keys.parked)]
    if not admin.pipeline.keeps_nothing:
        questions += [("INFO",), ("XINFO", "GROUPS", keys.stream), ("XPENDING", keys.stream, keys.group)]
    for words in questions:
        call(user, *words)
    admin.park(admin.read(admin.life()))
    call(user, "EVAL", KEDA_LIST, 1, keys.parked)


def tidies(user: Granted) -> None:
    """Rounds of a janitor, what it sees, what it would do, and the question who leads."""
    admin, stage = user.desk.stage, user.stage()
    admin.make()
    worked(admin)
    clock = Clock()

    async def promise() -> None:
        links = stage.links()
        try:
            await look([stage.pipeline], [links.pairs[0].work], Nobody())
            rounds = stage.rounds(links, own=clock)
            await rounds.make()
            for _ in range(12):
                clock.move(1)
                assert await rounds.make(), "nothing failed"
            assert admin.suspect, "the lost one was taken over"
            await stage.sight(links).look(leading=True)
            admin.ask("DEL", stage.keys.stream)
            admin.make()
            lock = Lock(links.lead, lock_of("dev", [stage.keys]))
            assert await lock.ask()
            await lock.give_up()
            await says(user, links.lead)
        finally:
            await links.close()

    keep(promise())


def operates(user: Granted) -> None:
    """All verbs, beneath the terminal."""
    desk, keys = user.desk, user.desk.keys
    desk.stage.make()
    worked(desk.stage)
    letters = desk.died(2)

    async def promise() -> None:
        link = user.stage().link()
        try:
            await sees(link, keys)
            await handles(link, keys, desk, letters)
            await says(user, link)
        finally:
            await link.close()
        await sends(user.stage().pipeline, user.credentials)

    keep(promise())


async def sees(link: Link, keys: Keys) -> None:
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


async def handles(link: Link, keys: Keys, desk: Desk, letters: list[str]) -> None:
    """`dlq`."""
    walk = Walk(link, keys, desk.lens)
    assert [one async for one in walk.chosen(Filters(), await walk.now(), until=await walk.last(), newest_first=True)]
    replayer = Replayer(link, keys, Pace(None))
    await replayer.prepare()
    assert [one.entry async for one in replayer.replay(walk.named(letters[:1]))]
    assert [count async for _, count in purge(link, keys, walk.named(letters[1:]))] == [1]
