"""`penstock dev` runs a repository's pipelines as real processes, and scales them as a cluster would."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import ledger
from dev_session import SLOW, Laptop
from servers import Server, wait_for


def test_workers_follow_the_load(tmp_path: Path) -> None:
    """From zero to the spec's maximum, by KEDA and the HPA on a fast clock, and back to zero."""
    spec = "work: {concurrency: 2}\nscaling: {replicas: {min: 0, max: 3}, backlog_per_replica: 4}"
    with Laptop(tmp_path, handlers=SLOW, spec=spec) as laptop:
        dev = laptop.dev("--speed", "100x").until("Redis is reachable")
        dev.send(20)
        dev.until(r"trial: KEDA: active: 0 -> 1")
        dev.until(r"trial: HPA: 20 / 4 -> 5.*the maximum")
        wait_for(lambda: len(dev.workers()) == 3, "three workers run")

        laptop.go_on()

        dev.until(r"cooldown over: \d -> 0")
        wait_for(lambda: not dev.workers(), "all workers have stopped")
        assert dev.left() == 0
        assert set(ledger.by_message(ledger.read(laptop.ledger), "end")) == {str(number) for number in range(20)}


def test_until_idle_stops_when_nothing_is_pending(laptop: Laptop) -> None:
    """For CI: messages of an earlier run are done, and the exit code is 0."""
    first = laptop.dev()
    first.until("Redis is reachable")
    first.send(3)
    assert first.interrupt() == 0

    second = laptop.dev("--until-idle", "--speed", "20x")

    assert second.wait() == 0
    assert "idle: nothing pending" in second.log()
    assert len(ledger.by_message(ledger.read(laptop.ledger), "end")) == 3


def test_until_idle_stops_if_no_worker_can_start(busy: Laptop) -> None:
    """For CI, where no one fixes the handler; the exit code is 1."""
    busy.handlers.write_text("import nowhere\n")
    with Server() as server:
        server.ask("XADD", "trial", "*", "data", '{"id": "1"}')
        dev = busy.dev("--until-idle", "--redis", server.url)
        assert dev.wait() == 1
    assert "stopping: some processes cannot start" in dev.log()


def test_an_unreachable_redis_is_logged_once(laptop: Laptop) -> None:
    """By `penstock dev` itself, not only by the janitor."""
    with closing(socket.socket()) as occupied:  # bound, but not listening
        occupied.bind(("127.0.0.1", 0))
        dev = laptop.dev("--redis", f"redis://127.0.0.1:{occupied.getsockname()[1]}")
        dev.until("penstock dev: warning: Redis is unreachable")
        assert dev.interrupt() == 0
    assert dev.count_of("penstock dev: warning: Redis is unreachable") == 1


def test_until_idle_gives_up_on_an_unreachable_redis(laptop: Laptop) -> None:
    """For CI: the exit code is 2."""
    with closing(socket.socket()) as occupied:
        occupied.bind(("127.0.0.1", 0))
        port = occupied.getsockname()[1]
        dev = laptop.dev("--until-idle", "--redis", f"redis://127.0.0.1:{port}")
        assert dev.wait() == 2
    assert f"error: Redis at 127.0.0.1:{port} has been unreachable for 10 s" in dev.log()
    assert "hint: check that it runs and can be reached from here" in dev.log()
    dev.until_all_ended()


def test_workers_ignore_variables_for_other_commands(laptop: Laptop) -> None:
    """Another environment, another Redis's password, a log level that hides when a worker is ready."""
    others = {"PENSTOCK_ENV": "other", "REDIS_PASSWORD": "wrong", "LOG_LEVEL": "ERROR"}
    dev = laptop.dev("--speed", "5x", **others)
    dev.until("Redis is reachable").send(1)
    dev.until("replicas 1/1")
    wait_for(lambda: dev.left() == 0, "it is done")


def test_it_stops_when_its_output_is_closed(laptop: Laptop) -> None:
    """As with `| head -1`, without a traceback."""
    dev = laptop.dev_into_a_pipe()
    dev.read_a_line_and_go()
    assert dev.wait() == 1
    dev.until_all_ended()
    assert "Traceback" not in dev.log()


def test_it_stops_after_a_time(laptop: Laptop) -> None:
    dev = laptop.dev("--for", "1s")
    assert dev.wait() == 0
    assert "stopping after 1 s" in dev.log()
    dev.until_all_ended()


def test_a_killed_worker_is_replaced_and_no_message_is_lost(busy: Laptop) -> None:
    """Its messages are taken over when its lease expires, and run again."""
    dev = busy.dev()
    dev.until("Redis is reachable").send(4)
    wait_for(lambda: len(ledger.by_message(ledger.read(busy.ledger), "start")) == 4, "all of them run")
    (worker,) = dev.workers()

    os.kill(worker, signal.SIGKILL)

    dev.until("trial: warning: .*dev-1~.* was killed by SIGKILL; starting a replacement")
    wait_for(lambda: dev.workers() not in ([], [worker]), "a replacement runs")
    busy.go_on()
    wait_for(lambda: dev.left() == 0, "all messages are done")
    ended = ledger.by_message(ledger.read(busy.ledger), "end")
    assert set(ended) == {"0", "1", "2", "3"}


def test_redis_is_restarted_with_its_data(busy: Laptop) -> None:
    """At the same address; workers continue."""
    dev = busy.dev()
    dev.until("Redis is reachable").send(2)
    wait_for(lambda: len(ledger.read(busy.ledger)) == 2, "both run")
    before = dev.port
    info = str(dev.ask("INFO", "server"))
    pid = int(info.partition("process_id:")[2].split()[0])

    os.kill(pid, signal.SIGKILL)

    dev.until("Redis exited; restarting it")
    wait_for(lambda: dev.left() == 2, "it has both messages")
    assert dev.port == before
    busy.go_on()
    wait_for(lambda: dev.left() == 0, "both are done")


def test_a_given_redis_is_used_and_not_stopped(laptop: Laptop) -> None:
    """Its messages are done, and no embedded Redis starts."""
    with Server() as server:
        server.ask("XADD", "trial", "*", "data", '{"id": "1"}')
        dev = laptop.dev("--redis", server.url, "--until-idle", "--speed", "20x")
        assert dev.wait() == 0
        assert server.ask("XLEN", "trial") == 0
    assert not (laptop.folder / ".penstock" / "redis").exists()


def test_a_password_is_not_in_the_arguments_of_children(busy: Laptop) -> None:
    """Every user of a machine can read them; children get the user and the password in their environment."""
    password = "s3cret:/@"  # noqa: S105 - of this test's server
    with Server(password=password) as server:
        dev = busy.dev("--redis", f"redis://default:{quote(password, safe='')}@{server.address}")
        server.ask("XADD", "trial", "*", "data", '{"id": "1"}')
        dev.until("replicas 1/1")
        lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in dev.processes() if pid != dev.process.pid]
        assert len([line for line in lines if b"--redis" in line]) >= 2, "the janitor and a worker run"
        assert not any(b"s3cret" in line for line in lines)
        assert b"s3cret" not in dev.log().encode()
        busy.go_on()
        wait_for(lambda: server.ask("XLEN", "trial") == 0, "the message is done")


def test_a_second_instance_in_a_repository_is_refused(laptop: Laptop) -> None:
    """It names the first one, which continues."""
    first = laptop.dev().until("Redis is reachable")
    second = laptop.dev()
    assert second.wait() == 2
    assert f"another `penstock dev` is running in this repository (pid {first.process.pid})" in second.log()
    first.send(1)
    first.until("KEDA: active: 0 -> 1")


def test_without_a_terminal_the_output_is_plain(laptop: Laptop) -> None:
    """No colour or cursor movement, even if the environment forces colour."""
    dev = laptop.dev("--for", "1s", TERM="xterm-256color", FORCE_COLOR="1")
    dev.wait()
    assert "\x1b" not in dev.log()
    assert "\r" not in dev.log()
    assert all("s  " in line for line in dev.log().splitlines()), dev.log()
