"""The janitor as a process: alone, with others, killed, stopped, and without Redis."""

import json
import math
import signal
from collections.abc import Callable

import pytest
from janitors import JanitorProcess, JanitorRepository
from patience import PATIENCE
from pipeline_driver import LEASE
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families as parsed
from servers import Server, wait_for

from penstock.janitor.leader_lock import lock_of
from penstock.keys import READY
from penstock.observe.events import Event
from penstock_spec.kinds.pipeline.metrics import METRICS

Make = Callable[..., JanitorRepository]


@pytest.mark.wire
def test_messages_of_a_lost_worker_are_taken_over_on_an_idle_stream(repository: Make) -> None:
    """Without workers and senders the janitor takes over after a lease, and promotes parked messages."""
    repo = repository()
    driver = repo.driver
    driver.create_group()
    lost = driver.lost(3)
    driver.park(lost[:1], wait=1500)
    janitor = repo.janitor()

    wait_for(lambda: driver.suspect == lost[1:], "the messages of the lost worker are taken over")
    assert driver.ready == lost[:1]
    assert [name for name in driver.consumers() if not name.startswith("~")] == []
    wait_for(
        lambda: janitor.number("penstock_taken_over_total", pipeline="trial") == 2, "`penstock_taken_over_total` is 2"
    )
    wait_for(
        lambda: janitor.number("penstock_promoted_total", pipeline="trial", source="parked") == 1,
        "one message is counted as promoted",
    )


def check_endpoints(janitor: JanitorProcess) -> None:
    """It is alive and ready, and serves the age of the second pipeline's oldest message."""
    janitor.until(Event.HTTP_LISTENING)
    wait_for(lambda: janitor.page("/readyz")[0] == 200, "`/readyz` succeeds")
    wait_for(lambda: janitor.page("/internal/health/redis")[0] == 200, "`/internal/health/redis` succeeds")
    wait_for(
        lambda: json.loads(janitor.page("/pipelines/second/oldest")[1])["seconds"] > 400,
        "the old message of `second` is measured",
    )
    assert janitor.page("/livez")[0] == 200
    assert janitor.page("/pipelines/third/oldest")[0] == 404


def test_it_serves_http(repository: Make) -> None:
    """Probes, metrics, health of Redis and the age of the oldest message, as leader and as standby."""
    repo = repository("first", "second")
    leader, other = repo.janitor(), repo.janitor()
    wait_for(lambda: len(repo.leaders()) == 1 and not other.events(Event.JANITOR_STOPPED), "one janitor is leader")
    driver = repo.drivers["second"]
    driver.ask("XADD", driver.keys.stream, f"{driver.now() - 500_000}-0", "data", "{}")

    for janitor in (leader, other):
        check_endpoints(janitor)
        assert json.loads(janitor.page("/pipelines/first/oldest")[1]) == {"seconds": 0}

    (current_leader,) = repo.leaders()
    (standby,) = {leader, other} - {current_leader}
    wait_for(
        lambda: current_leader.number("penstock_new", pipeline="second") == 1, "the leader exports the new message"
    )
    assert current_leader.number("penstock_janitor_leader", pipeline="first") == 1
    assert standby.number("penstock_janitor_leader", pipeline="first") == 0
    value = standby.number("penstock_new", pipeline="second")
    assert value is not None
    assert math.isnan(value), "a standby exports NaN"
    for janitor, connections in ((current_leader, 3), (standby, 2)):
        assert janitor.number("penstock_redis_connections", pipeline="first") == connections
        assert (janitor.number("penstock_redis_connects_total", pipeline="first") or 0) >= connections
        assert (janitor.number("penstock_redis_seconds_count", pipeline="first") or 0) > 0


def test_it_exports_messages_that_drains_cut_off(repository: Make) -> None:
    """The counters of those workers are gone."""
    repo = repository("first")
    janitor = repo.janitor()
    wait_for(lambda: len(repo.leaders()) == 1, "the janitor is leader")
    wait_for(lambda: janitor.number("penstock_cut_off", pipeline="first") == 0, "the group is measured")
    driver = repo.drivers["first"]
    keys, worker = driver.keys, driver.join_group("gone")
    assert driver.run("deregister", [keys.stream, keys.alive, keys.position], keys.group, worker, 2) == 1
    wait_for(lambda: janitor.number("penstock_cut_off", pipeline="first") == 2, "`penstock_cut_off` is 2")


def test_it_exports_exactly_its_contract(repository: Make) -> None:
    """For each pipeline; every measurement is known once it is leader."""
    repo = repository("first", "second")
    janitor = repo.janitor()
    janitor.until(Event.JANITOR_BECAME_LEADER)
    contract = {name: metric for name, metric in METRICS.items() if "janitor" in metric.roles}

    def unknown() -> set[str]:
        exported = families(janitor)
        assert set(exported) == set(contract)
        for name, family in exported.items():
            assert {sample.labels["pipeline"] for sample in family.samples} == {"first", "second"}, name
        return {name for name, family in exported.items() if any(math.isnan(sample.value) for sample in family.samples)}

    # Redis before 7 knows no lag, and without trimming no group holds it back.
    allowed = {"penstock_lag", "penstock_trim_held_back"}
    wait_for(lambda: unknown() <= allowed, "every measurement is exported")
    assert janitor.end() == 0


def families(janitor: JanitorProcess) -> dict[str, Metric]:
    """Penstock's metrics on its page, by their names in the contract."""
    parsed_families = parsed(janitor.page("/metrics")[1])
    by_name = {f"{one.name}_total" if one.type == "counter" else one.name: one for one in parsed_families}
    return {name: one for name, one in by_name.items() if name.startswith("penstock_")}


@pytest.mark.wire
def test_another_becomes_leader_when_the_leader_is_killed_or_stopped(repository: Make) -> None:
    """Within seconds; a stopped leader that wakes up becomes standby and does no harm."""
    repo = repository()
    repo.driver.create_group()
    janitors = [repo.janitor() for _ in range(3)]
    wait_for(lambda: len(repo.leaders()) == 1, "one janitor is leader")
    (killed,) = repo.leaders()
    killed.kill()
    wait_for(lambda: len(repo.leaders()) == 1, "another janitor is leader")

    (stopped,) = repo.leaders()
    stopped.signal(signal.SIGSTOP)
    wait_for(lambda: len(repo.leaders()) == 2, "a second janitor became leader while the first is stopped")
    live_worker = repo.driver.join_group(lease=4 * LEASE)
    repo.driver.add(3)
    held = repo.driver.read(live_worker)
    stopped.signal(signal.SIGCONT)
    wait_for(lambda: len(repo.leaders()) == 1, "the woken janitor is standby")

    (last,) = repo.leaders()
    assert last not in {killed, stopped}
    assert repo.driver.owned(live_worker) == held
    assert [janitor.end() for janitor in janitors if janitor is not killed] == [0, 0]


def test_a_signal_gives_up_the_lock(repository: Make) -> None:
    """After SIGTERM and SIGINT alike, the next janitor becomes leader at once."""
    repo = repository()
    key = lock_of("dev", [repo.driver.keys])
    for number in (signal.SIGTERM, signal.SIGINT):
        janitor = repo.janitor()
        janitor.until(Event.JANITOR_BECAME_LEADER)
        assert repo.driver.number("EXISTS", key) == 1
        janitor.signal(number)
        assert janitor.process.wait(PATIENCE) == 0
        assert repo.driver.number("EXISTS", key) == 0
        assert "Traceback" not in janitor.log()


def test_a_second_signal_ends_it_at_once(repository: Make, server: Server) -> None:
    """Although Redis does not answer and the lock cannot be given up."""
    repo = repository(server=server)
    janitor = repo.janitor()
    janitor.until(Event.JANITOR_BECAME_LEADER)
    server.pause()
    janitor.signal(signal.SIGTERM)
    janitor.until(Event.SIGNAL_RECEIVED)
    janitor.signal(signal.SIGTERM)
    assert janitor.process.wait(PATIENCE) == 128 + signal.SIGTERM
    server.resume()


def test_without_redis_it_is_not_ready(repository: Make, server: Server) -> None:
    """At the start and later; each outage is logged once."""
    server.kill()
    repo = repository(server=server)
    janitor = repo.janitor()
    janitor.until(Event.REDIS_UNREACHABLE)
    assert janitor.page("/readyz")[0] == 503
    assert janitor.page("/pipelines/trial/oldest")[0] == 503
    assert janitor.page("/internal/health/redis")[0] == 503

    server.start()
    wait_for(lambda: janitor.page("/readyz")[0] == 200, "`/readyz` succeeds")
    janitor.until(Event.REDIS_REACHABLE)
    wait_for(lambda: repo.driver.listed("XINFO", "GROUPS", "trial"), "the group is created")

    server.kill()
    wait_for(lambda: len(janitor.events(Event.REDIS_UNREACHABLE)) == 2, "the second outage is logged")
    wait_for(lambda: janitor.page("/readyz")[0] == 503, "`/readyz` fails")
    server.start()
    wait_for(lambda: janitor.page("/readyz")[0] == 200, "`/readyz` succeeds again")
    errors = janitor.number("penstock_redis_errors_total", pipeline="trial", kind="absent")
    assert errors is not None
    assert errors > 0
    assert janitor.end() == 0


@pytest.mark.wire
def test_a_failing_pipeline_does_not_stop_the_others(repository: Make) -> None:
    """A key has another type: logged once and counted; the pipeline's other tasks go on too."""
    repo = repository("broken", "well")
    broken, well = repo.drivers["broken"], repo.drivers["well"]
    for driver in repo.drivers.values():
        driver.create_group()
        driver.add(1)
        driver.park(driver.read(driver.join_group()))
    broken.ask("DEL", broken.keys.parked)
    broken.ask("SET", broken.keys.parked, "something else")
    broken.ask("XADD", broken.keys.dead, "1-1", "data", "{}")
    janitor = repo.janitor()

    wait_for(lambda: len(well.ready) == 1, "the message of `well` is promoted")
    wait_for(lambda: broken.number("XLEN", broken.keys.dead) == 0, "the dead letter of `broken` is removed")
    wait_for(
        lambda: (janitor.number("penstock_janitor_errors_total", pipeline="broken", task="promote") or 0) > 2,
        "the failing task is counted",
    )
    failed = [line["task"] for line in janitor.events(Event.JANITOR_TASK_FAILED)]
    assert failed.count("promote") == 1
    assert janitor.number("penstock_janitor_errors_total", pipeline="well", task="promote") == 0

    broken.ask("DEL", broken.keys.parked)
    wait_for(lambda: len(broken.ready) == 1, "the message of `broken` is promoted after the repair")
    assert "Traceback" not in janitor.log()


def test_after_a_kill_the_next_janitor_continues_the_restoration(repository: Make) -> None:
    """Each message of the vanished group comes back once."""
    repo = repository()
    driver = repo.driver
    driver.create_group()
    ids = driver.add(3000, size=2000)
    driver.read(driver.join_group(), 3000)
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)

    first = repo.janitor()
    wait_for(lambda: len(driver.ready) > 100, "the restoration has started")
    first.kill()
    restored = len(driver.ready)
    repo.janitor()
    wait_for(lambda: len(driver.ready) == 3000, "all messages are ready")

    assert driver.ready == ids
    assert restored <= 3000
    assert driver.number("HEXISTS", driver.keys.position, "left") == 0


def test_once_makes_one_round_over_each_pipeline(repository: Make) -> None:
    repo = repository("first", "second")
    for driver in repo.drivers.values():
        driver.create_group()
        driver.add(1)
        driver.park(driver.read(driver.join_group()))

    janitor = repo.janitor("--once")

    assert janitor.process.wait(PATIENCE) == 0, janitor.log()
    assert all(len(driver.owned(READY)) == 1 for driver in repo.drivers.values())


def test_a_wrong_password_is_logged_once(repository: Make, server: Server) -> None:
    """For all pipelines and tasks; the pod is not ready until Redis accepts it."""
    server.ask("CONFIG", "SET", "requirepass", "secret")
    repo = repository("first", "second", server=server)
    janitor = repo.janitor()
    janitor.until(Event.REDIS_REFUSED)
    assert janitor.page("/readyz")[0] == 503
    server.ask("CONFIG", "SET", "requirepass", "")
    wait_for(lambda: janitor.page("/readyz")[0] == 200, "`/readyz` succeeds")
    assert len(janitor.events(Event.REDIS_REFUSED)) == 1
    assert janitor.events(Event.JANITOR_TASK_FAILED) == []


def test_a_lock_key_of_another_type_is_logged_once(repository: Make) -> None:
    """The janitor becomes leader when the key is gone."""
    repo = repository()
    key = lock_of("dev", [repo.driver.keys])
    repo.driver.ask("HSET", key, "something", "else")
    janitor = repo.janitor()
    janitor.until(Event.JANITOR_TASK_FAILED)
    wait_for(
        lambda: (janitor.number("penstock_janitor_errors_total", pipeline="trial", task="lead") or 0) > 1,
        "the failing task is counted",
    )
    assert len(janitor.events(Event.JANITOR_TASK_FAILED)) == 1
    repo.driver.ask("DEL", key)
    janitor.until(Event.JANITOR_BECAME_LEADER)


def test_once_fails_without_redis(repository: Make, server: Server) -> None:
    """With an error, a hint and exit code 2."""
    server.kill()
    repo = repository(server=server)
    for option in ("--once", "--dry-run"):
        janitor = repo.janitor(option)
        assert janitor.process.wait(PATIENCE) == 2
        assert "error: Redis is unreachable: " in janitor.log()
        assert "hint: check that it runs and accepts connections from here" in janitor.log()
        assert janitor.events(Event.REDIS_UNREACHABLE, Event.REDIS_REFUSED) == []
        assert "Traceback" not in janitor.log()


def test_once_fails_without_a_password(repository: Make, server: Server) -> None:
    """With the hint of other commands, and no retry."""
    server.ask("CONFIG", "SET", "requirepass", "secret")
    repo = repository("first", "second", server=server)
    for option in ("--once", "--dry-run"):
        janitor = repo.janitor(option)
        assert janitor.process.wait(PATIENCE) == 2
        assert "error: Redis refused: NOAUTH" in janitor.log()
        assert "hint: set REDIS_PASSWORD, and REDIS_USERNAME where Redis has users" in janitor.log()
        assert janitor.events(Event.REDIS_UNREACHABLE, Event.REDIS_REFUSED) == []
