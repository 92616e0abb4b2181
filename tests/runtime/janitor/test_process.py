"""The janitor as a process: alone and with others, killed, stopped, drained, and without a Redis."""

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
    """Without workers and senders, the janitor alone takes over after a lease, and promotes parked messages."""
    one = repository()
    driver = one.driver
    driver.create_group()
    lost = driver.lost(3)
    driver.park(lost[:1], wait=1500)
    janitor = one.janitor()

    wait_for(lambda: driver.suspect == lost[1:], "they are taken over")
    assert driver.ready == lost[:1]
    assert [name for name in driver.consumers() if not name.startswith("~")] == []
    wait_for(lambda: janitor.number("penstock_taken_over_total", pipeline="trial") == 2, "both are counted")
    wait_for(
        lambda: janitor.number("penstock_promoted_total", pipeline="trial", source="parked") == 1, "so is the third"
    )


def check_endpoints(janitor: JanitorProcess) -> None:
    """It is alive and ready, and serves the age of the second pipeline's oldest message."""
    janitor.until(Event.HTTP_LISTENING)
    wait_for(lambda: janitor.page("/readyz")[0] == 200, "it is ready")
    wait_for(lambda: janitor.page("/internal/health/redis")[0] == 200, "Redis is well")
    wait_for(lambda: json.loads(janitor.page("/pipelines/second/oldest")[1])["seconds"] > 400, "it waits")
    assert janitor.page("/livez")[0] == 200
    assert janitor.page("/pipelines/third/oldest")[0] == 404


def test_it_serves_http(repository: Make) -> None:
    """Probes, metrics, Redis and the age of the oldest message; leader and standby alike."""
    one = repository("first", "second")
    leader, follower = one.janitor(), one.janitor()
    wait_for(lambda: len(one.leaders()) == 1 and not follower.events(Event.JANITOR_STOPPED), "one leads")
    driver = one.drivers["second"]
    driver.ask("XADD", driver.keys.stream, f"{driver.now() - 500_000}-0", "data", "{}")

    for janitor in (leader, follower):
        check_endpoints(janitor)
        assert json.loads(janitor.page("/pipelines/first/oldest")[1]) == {"seconds": 0}

    (leads,) = one.leaders()
    (stands_by,) = {leader, follower} - {leads}
    wait_for(lambda: leads.number("penstock_new", pipeline="second") == 1, "the leader tells what there is")
    assert leads.number("penstock_janitor_leader", pipeline="first") == 1
    assert stands_by.number("penstock_janitor_leader", pipeline="first") == 0
    told = stands_by.number("penstock_new", pipeline="second")
    assert told is not None
    assert told != told, "the other tells NaN"  # noqa: PLR0124 - that is what NaN is
    for janitor, connections in ((leads, 3), (stands_by, 2)):
        assert janitor.number("penstock_redis_connections", pipeline="first") == connections
        assert (janitor.number("penstock_redis_connects_total", pipeline="first") or 0) >= connections
        assert (janitor.number("penstock_redis_seconds_count", pipeline="first") or 0) > 0


def test_it_exports_messages_that_drains_cut_off(repository: Make) -> None:
    """The workers that cut them off are gone with their counters."""
    one = repository("first")
    janitor = one.janitor()
    wait_for(lambda: len(one.leaders()) == 1, "it leads")
    wait_for(lambda: janitor.number("penstock_cut_off", pipeline="first") == 0, "it has made the group")
    driver = one.drivers["first"]
    keys, worker = driver.keys, driver.join_group("gone")
    assert driver.run("deregister", [keys.stream, keys.alive, keys.position], keys.group, worker, 2) == 1
    wait_for(lambda: janitor.number("penstock_cut_off", pipeline="first") == 2, "it is told")


def test_its_metrics_are_those_of_the_contract(repository: Make) -> None:
    """For each pipeline, no more and no fewer; once it leads, every measurement is known."""
    one = repository("first", "second")
    janitor = one.janitor()
    janitor.until(Event.JANITOR_BECAME_LEADER)
    contract = {name: metric for name, metric in METRICS.items() if "janitor" in metric.roles}

    def unknown() -> set[str]:
        found = families(janitor)
        assert set(found) == set(contract)
        for name, family in found.items():
            assert {sample.labels["pipeline"] for sample in family.samples} == {"first", "second"}, name
        return {name for name, family in found.items() if any(math.isnan(sample.value) for sample in family.samples)}

    # Redis before 7 knows no lag, and where nothing is trimmed nobody holds that back.
    allowed = {"penstock_lag", "penstock_trim_held_back"}
    wait_for(lambda: unknown() <= allowed, "all is measured")
    assert janitor.end() == 0


def families(janitor: JanitorProcess) -> dict[str, Metric]:
    """Penstock's metrics on its page, by their names in the contract."""
    told = parsed(janitor.page("/metrics")[1])
    named = {f"{one.name}_total" if one.type == "counter" else one.name: one for one in told}
    return {name: one for name, one in named.items() if name.startswith("penstock_")}


@pytest.mark.wire
def test_another_leads_when_the_leader_is_killed_or_stopped(repository: Make) -> None:
    """Within seconds; a stopped one that wakes does no harm and becomes standby."""
    one = repository()
    one.driver.create_group()
    janitors = [one.janitor() for _ in range(3)]
    wait_for(lambda: len(one.leaders()) == 1, "one leads")
    (killed,) = one.leaders()
    killed.kill()
    wait_for(lambda: len(one.leaders()) == 1, "another leads")

    (stopped,) = one.leaders()
    stopped.signal(signal.SIGSTOP)
    wait_for(lambda: len(one.leaders()) == 2, "another leads, although the stopped one has not said that it does not")
    living = one.driver.join_group(lease=4 * LEASE)
    one.driver.add(3)
    held = one.driver.read(living)
    stopped.signal(signal.SIGCONT)
    wait_for(lambda: len(one.leaders()) == 1, "it stands by")

    (last,) = one.leaders()
    assert last not in {killed, stopped}
    assert one.driver.owned(living) == held
    assert [janitor.end() for janitor in janitors if janitor is not killed] == [0, 0]


def test_a_signal_gives_up_the_lock(repository: Make) -> None:
    """So that the next janitor leads at once; SIGTERM and SIGINT alike."""
    one = repository()
    key = lock_of("dev", [one.driver.keys])
    for number in (signal.SIGTERM, signal.SIGINT):
        janitor = one.janitor()
        janitor.until(Event.JANITOR_BECAME_LEADER)
        assert one.driver.number("EXISTS", key) == 1
        janitor.signal(number)
        assert janitor.process.wait(PATIENCE) == 0
        assert one.driver.number("EXISTS", key) == 0
        assert "Traceback" not in janitor.log()


def test_a_second_signal_ends_it_at_once(repository: Make, server: Server) -> None:
    """Although Redis does not answer, so that the lock cannot be given up."""
    one = repository(server=server)
    janitor = one.janitor()
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
    one = repository(server=server)
    janitor = one.janitor()
    janitor.until(Event.REDIS_UNREACHABLE)
    assert janitor.page("/readyz")[0] == 503
    assert janitor.page("/pipelines/trial/oldest")[0] == 503
    assert janitor.page("/internal/health/redis")[0] == 503

    server.start()
    wait_for(lambda: janitor.page("/readyz")[0] == 200, "it is ready")
    janitor.until(Event.REDIS_REACHABLE)
    wait_for(lambda: one.driver.listed("XINFO", "GROUPS", "trial"), "it works")

    server.kill()
    wait_for(lambda: len(janitor.events(Event.REDIS_UNREACHABLE)) == 2, "it says so again")
    wait_for(lambda: janitor.page("/readyz")[0] == 503, "it is not ready")
    server.start()
    wait_for(lambda: janitor.page("/readyz")[0] == 200, "it is ready again")
    errors = janitor.number("penstock_redis_errors_total", pipeline="trial", kind="absent")
    assert errors is not None
    assert errors > 0
    assert janitor.end() == 0


@pytest.mark.wire
def test_a_failing_pipeline_does_not_stop_the_others(repository: Make) -> None:
    """Its keys have another type: this is logged once and counted, and its other tasks go on too."""
    one = repository("broken", "well")
    broken, well = one.drivers["broken"], one.drivers["well"]
    for driver in one.drivers.values():
        driver.create_group()
        driver.add(1)
        driver.park(driver.read(driver.join_group()))
    broken.ask("DEL", broken.keys.parked)
    broken.ask("SET", broken.keys.parked, "something else")
    broken.ask("XADD", broken.keys.dead, "1-1", "data", "{}")
    janitor = one.janitor()

    wait_for(lambda: len(well.ready) == 1, "the other is looked after")
    wait_for(lambda: broken.number("XLEN", broken.keys.dead) == 0, "other tasks go on")
    wait_for(
        lambda: (janitor.number("penstock_janitor_errors_total", pipeline="broken", task="promote") or 0) > 2,
        "it is counted",
    )
    failed = [line["task"] for line in janitor.events(Event.JANITOR_TASK_FAILED)]
    assert failed.count("promote") == 1
    assert janitor.number("penstock_janitor_errors_total", pipeline="well", task="promote") == 0

    broken.ask("DEL", broken.keys.parked)
    wait_for(lambda: len(broken.ready) == 1, "when it is put right, all goes on")
    assert "Traceback" not in janitor.log()


def test_killed_while_it_restores_a_vanished_group(repository: Make) -> None:
    """The next janitor continues: each message comes back, and none twice."""
    one = repository()
    driver = one.driver
    driver.create_group()
    ids = driver.add(3000, size=2000)
    driver.read(driver.join_group(), 3000)
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)

    first = one.janitor()
    wait_for(lambda: len(driver.ready) > 100, "it has begun")
    first.kill()
    begun = len(driver.ready)
    one.janitor()
    wait_for(lambda: len(driver.ready) == 3000, "all of them are ready")

    assert driver.ready == ids
    assert begun <= 3000
    assert driver.number("HEXISTS", driver.keys.position, "left") == 0


def test_once(repository: Make) -> None:
    """One round over each pipeline, and the exit."""
    one = repository("first", "second")
    for driver in one.drivers.values():
        driver.create_group()
        driver.add(1)
        driver.park(driver.read(driver.join_group()))

    janitor = one.janitor("--once")

    assert janitor.process.wait(PATIENCE) == 0, janitor.log()
    assert all(len(driver.owned(READY)) == 1 for driver in one.drivers.values())


def test_a_wrong_password(repository: Make, server: Server) -> None:
    """It is logged once for all pipelines and tasks, and the pod is not ready; with the right password it goes on."""
    server.ask("CONFIG", "SET", "requirepass", "secret")
    one = repository("first", "second", server=server)
    janitor = one.janitor()
    janitor.until(Event.REDIS_REFUSED)
    assert janitor.page("/readyz")[0] == 503
    server.ask("CONFIG", "SET", "requirepass", "")
    wait_for(lambda: janitor.page("/readyz")[0] == 200, "it is ready")
    assert len(janitor.events(Event.REDIS_REFUSED)) == 1
    assert janitor.events(Event.JANITOR_TASK_FAILED) == []


def test_a_lock_key_of_another_type(repository: Make) -> None:
    """It is logged once; the janitor leads when the key is gone."""
    one = repository()
    key = lock_of("dev", [one.driver.keys])
    one.driver.ask("HSET", key, "something", "else")
    janitor = one.janitor()
    janitor.until(Event.JANITOR_TASK_FAILED)
    wait_for(
        lambda: (janitor.number("penstock_janitor_errors_total", pipeline="trial", task="lead") or 0) > 1,
        "it is counted",
    )
    assert len(janitor.events(Event.JANITOR_TASK_FAILED)) == 1
    one.driver.ask("DEL", key)
    janitor.until(Event.JANITOR_BECAME_LEADER)


def test_once_without_redis(repository: Make, server: Server) -> None:
    """An error message, and an exit code."""
    server.kill()
    one = repository(server=server)
    for option in ("--once", "--dry-run"):
        janitor = one.janitor(option)
        assert janitor.process.wait(PATIENCE) == 2
        assert "error: Redis is unreachable: " in janitor.log()
        assert "hint: check that it runs and accepts connections from here" in janitor.log()
        assert janitor.events(Event.REDIS_UNREACHABLE, Event.REDIS_REFUSED) == []
        assert "Traceback" not in janitor.log()


def test_once_without_a_password(repository: Make, server: Server) -> None:
    """The same hint as from other commands, and no word of a retry."""
    server.ask("CONFIG", "SET", "requirepass", "secret")
    one = repository("first", "second", server=server)
    for option in ("--once", "--dry-run"):
        janitor = one.janitor(option)
        assert janitor.process.wait(PATIENCE) == 2
        assert "error: Redis refused: NOAUTH" in janitor.log()
        assert "hint: set REDIS_PASSWORD, and REDIS_USERNAME where Redis has users" in janitor.log()
        assert janitor.events(Event.REDIS_UNREACHABLE, Event.REDIS_REFUSED) == []
