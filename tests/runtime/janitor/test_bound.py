"""No command of the janitor blocks Redis for longer than 5 ms, whatever the size of the backlog."""

import pytest
from command_costs import Meter, MeteredLink
from event_loop import run_async
from pipeline_driver import Clock, PipelineDriver
from servers import Server

from penstock.clocks import Clocks
from penstock.janitor.dry_run import plan_rounds
from penstock.janitor.links import PipelineLinks
from penstock.janitor.monitor import PipelineMonitor
from penstock.janitor.reachability import Reachability
from penstock.janitor.rounds import Rounds
from penstock.keys import PARKED, SUSPECT
from penstock.maintenance import unowned
from penstock.wire.credentials import Credentials
from penstock.wire.route import Route

BOUND = 5.0
"""ms."""
PIPELINES, CONSUMERS, HELD = 100, 100, 100
"""1,000,000 pending messages in all."""
HOUR = 3_600_000
SIZE = 256 * 1024

GROW = """
for c = ARGV[1], ARGV[1] + 9 do
  local name = 'worker-' .. c .. '~' .. string.format('%08x', c)
  redis.call('XGROUP', 'CREATECONSUMER', KEYS[1], ARGV[2], name)
  redis.call('ZADD', KEYS[2], ARGV[3], name)
  for _ = 1, ARGV[4] do redis.call('XADD', KEYS[1], '*', 'data', ARGV[5]) end
  redis.call('XREADGROUP', 'GROUP', ARGV[2], name, 'COUNT', ARGV[4], 'STREAMS', KEYS[1], '>')
end
"""
END_LEASES = "for _, one in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('ZADD', KEYS[1], 1, one) end"


class ExistingPods:
    """Pods that exist."""

    def names(self) -> frozenset[str]:
        return frozenset({"janitor-1"})

    def set_cost(self, pod: str, cost: int) -> None:
        raise AssertionError((pod, cost))


class Crowd:
    """Many pipelines on one server, with a metered janitor."""

    def __init__(self, server: Server, specs: list[str]) -> None:
        self.server = server
        self.drivers = [PipelineDriver(server, spec, name=f"p{number}") for number, spec in enumerate(specs)]
        self.meter = Meter(server.pid)
        self.clock = Clock()

    async def make_rounds(self, drivers: list[PipelineDriver], rounds: int = 1, *, bound: float = BOUND) -> None:
        """Run a new janitor over these pipelines for this many rounds."""
        route = Route.to(self.server.model(), "", credentials=Credentials())
        link = MeteredLink(route, self.meter)
        pair = PipelineLinks(link, link, Reachability())
        clocks = Clocks(monotonic=self.clock)
        janitors = [Rounds(one.pipeline, pair, one.janitor_metrics(), ExistingPods(), clocks) for one in drivers]
        monitors = [PipelineMonitor(one.pipeline, pair, one.janitor_metrics(), clocks) for one in drivers]
        for _ in range(rounds):
            for janitor in janitors:
                assert await janitor.make()
            for monitor in monitors:
                await monitor.update()
            self.clock.move(2.5)
        for one in drivers:  # one at a time, so that costs are not mixed
            await plan_rounds([one.pipeline], [link], ExistingPods())
        await link.close()
        assert not self.meter.over(bound), f"over {bound} ms\n{self.meter.table()}"


def grow(driver: PipelineDriver, consumers: int, held: int, size: int = 100) -> None:
    """Create consumers with pending messages and long leases."""
    driver.create_group()
    ends = driver.now() + HOUR
    for first in range(0, consumers, 10):
        group = driver.keys.group
        driver.ask("EVAL", GROW, 2, driver.keys.stream, driver.keys.alive, first, group, ends, held, "x" * size)


def move(driver: PipelineDriver, consumer: str, count: int) -> None:
    """Claim `count` pending messages for a consumer."""
    ids = list(driver.pending())[:count]
    for first in range(0, len(ids), 1000):
        driver.ask("XCLAIM", driver.keys.stream, driver.keys.group, consumer, 0, *ids[first : first + 1000], "JUSTID")


def test_a_million_pending_messages_stay_within_the_bound() -> None:
    """100 pipelines with 100 consumers each."""
    history = "{stream: {retention: {keep: {length: 100}}}, dead_letter: {keep: 1h}}"
    specs = [""] * (PIPELINES - 2) + [history, "janitor: {ghosts: {idle: 1ms}}"]
    with Server() as server:
        crowd = Crowd(server, specs)
        for driver in crowd.drivers:
            grow(driver, CONSUMERS, HELD)
        expired, one_lost, parked, deleted_state, destroyed_group, *_, history_stage, ghost_stage = crowd.drivers
        run_async(crowd.make_rounds(crowd.drivers, rounds=2))

        # all consumers of one pipeline are lost, and one consumer that had nearly all of another
        expired.ask("EVAL", END_LEASES, 1, expired.keys.alive)
        lost = one_lost.join_group(lease=-1)
        move(one_lost, lost, 8000)
        run_async(crowd.make_rounds([expired, one_lost], rounds=6))
        assert len(expired.suspect) == 10_000
        assert len(one_lost.suspect) == 8_000

        # all due at once, then without due times
        move(parked, PARKED, 3000)
        run_async(crowd.make_rounds([parked], rounds=4))
        move(parked, PARKED, 3000)
        parked.ask("EVAL", "redis.call('ZADD', KEYS[1], 1, 'x')", 1, parked.keys.parked)
        run_async(crowd.make_rounds([parked], rounds=4))
        assert len(parked.ready) == 3000

        # a deleted state and a destroyed group
        deleted_state.ask(
            "XGROUP", "DELCONSUMER", deleted_state.keys.stream, deleted_state.keys.group, "worker-7~00000007"
        )
        expired.ask("XGROUP", "DELCONSUMER", expired.keys.stream, expired.keys.group, SUSPECT)
        destroyed_group.ask("XGROUP", "DESTROY", destroyed_group.keys.stream, destroyed_group.keys.group)
        run_async(crowd.make_rounds([expired, deleted_state, destroyed_group], rounds=4))
        assert len(expired.ready) == len(destroyed_group.ready) == 10_000

        # a kept history, dead letters and a ghost
        ids = list(history_stage.pending())
        for begin in range(0, 8000, 1000):
            history_stage.ask("XACK", history_stage.keys.stream, history_stage.keys.group, *ids[begin : begin + 1000])
        old = "for n = 1, 5000 do redis.call('XADD', KEYS[1], n .. '-0', 'data', string.rep('x', 500)) end"
        history_stage.ask("EVAL", old, 1, history_stage.keys.dead)
        move(ghost_stage, "foreign-1", 5000)
        run_async(crowd.make_rounds([history_stage, ghost_stage], rounds=3))
        assert history_stage.number("XLEN", history_stage.keys.stream) == 2000
        assert history_stage.number("XLEN", history_stage.keys.dead) == 0
        assert len(ghost_stage.suspect) == 5000
        crowd.meter.show()


@pytest.mark.parametrize("spec", ["", "{stream: {retention: {keep: {length: 10}}}, dead_letter: {keep: 1h}}"])
def test_large_messages_make_small_pages(spec: str) -> None:
    """200 messages of 256 KiB in each state."""
    with Server() as server:
        crowd = Crowd(server, [spec])
        (driver,) = crowd.drivers
        grow(driver, 10, 20, size=SIZE)
        ids = list(driver.pending())
        body = b"\x92\xa4data\xdb" + SIZE.to_bytes(4, "big") + b"x" * SIZE
        for number in range(50):
            driver.ask("HSET", driver.keys.bodies, f"b{number}", body)
            driver.ask("ZADD", driver.keys.delayed, driver.now(), f"b{number}")
            driver.ask("XADD", driver.keys.dead, f"{number + 1}-0", "data", "x" * SIZE)
        driver.ask("HSET", driver.keys.bodies, "without", body)
        move(driver, PARKED, 100)
        run_async(crowd.make_rounds([driver], rounds=3))
        if not spec:
            driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)
        else:
            driver.ask("XACK", driver.keys.stream, driver.keys.group, *ids)
        run_async(crowd.make_rounds([driver], rounds=12))
        crowd.meter.show()
        assert len(driver.entries()) == (251 if not spec else 51)


def test_larger_pages_would_break_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The measurement notices a whole stream brought back in one page."""
    with Server() as server:
        crowd = Crowd(server, [""])
        (driver,) = crowd.drivers
        grow(driver, 100, 1000)
        driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)
        monkeypatch.setattr(unowned, "ENTRIES", 3500)
        monkeypatch.setattr(unowned, "BYTES", 1 << 30)
        with pytest.raises(AssertionError, match="reconcile_stream"):
            run_async(crowd.make_rounds([driver], rounds=2))
