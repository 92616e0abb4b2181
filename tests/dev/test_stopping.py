"""`penstock dev` leaves no process and no file, except Redis's data, at any moment and for any signal."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import ledger
import pytest
from dev_session import Dev, Laptop, processes_in
from servers import wait_for

Moment = Callable[[Dev, Laptop], object]

MOMENTS: dict[str, Moment] = {
    "the lock is taken": lambda _, laptop: (laptop.folder / ".penstock" / "dev" / "lock").exists(),
    "Redis starts": lambda _, laptop: (laptop.folder / ".penstock" / "redis" / "server.log").exists(),
    "the first line is written": lambda dev, _: dev.count_of("running 1 pipeline in"),
    "the first process starts": lambda dev, _: dev.processes("penstock janitor"),
    "a worker imports": lambda dev, _: dev.workers(),
    "messages run": lambda _, laptop: ledger.read(laptop.ledger),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_at_any_moment_leaves_nothing_behind(busy: Laptop, moment: str) -> None:
    """A second Ctrl-C does not wait for a hanging handler."""
    dev = busy.dev()
    if moment == "messages run":
        dev.until("Redis is reachable").send(4)
    wait_for(lambda: MOMENTS[moment](dev, busy), moment)

    dev.process.send_signal(signal.SIGINT)
    if moment == "messages run":
        dev.until("SIGINT: waiting for workers to finish")
        dev.process.send_signal(signal.SIGINT)

    dev.until_all_ended()
    assert dev.process.returncode in (0, 130), dev.log()
    assert "Traceback" not in dev.log()
    assert busy.files() <= {".penstock"}
    assert not list(busy.folder.glob(".penstock/dev/workers/*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_act_like_ctrl_c(busy: Laptop, number: signal.Signals) -> None:
    """From `kill`, or when the terminal closes."""
    dev = busy.dev().until("Redis is reachable")
    dev.process.send_signal(number)
    assert dev.wait() == 0
    assert dev.count_of(f"{number.name}: waiting for workers to finish") == 1
    dev.until_all_ended()


def test_the_sidecar_is_not_stopped(tmp_path: Path) -> None:
    """A laptop has no sidecar, so the call would fail, and be logged, at each shutdown."""
    spec = "scaling: {replicas: {min: 1, max: 1}}\nshutdown: {sidecar_quit_url: 'http://127.0.0.1:1/quitquitquit'}"
    with Laptop(tmp_path, spec=spec) as laptop:
        dev = laptop.dev().until("replicas 1/1")
        assert dev.interrupt() == 0
        assert not dev.count_of("sidecar")


def test_sigkill_leaves_no_process_behind(busy: Laptop) -> None:
    """Redis, the janitor and the workers die with it, and the next run starts normally."""
    dev = busy.dev()
    dev.until("Redis is reachable").send(1)
    wait_for(lambda: ledger.read(busy.ledger), "a message runs")
    assert dev.server() is not None
    assert len(processes_in(busy.folder / ".penstock")) == 1

    dev.kill()

    dev.until_all_ended()
    busy.go_on()
    again = busy.dev("--until-idle")
    assert again.wait() == 0
    assert again.count_of("idle: nothing pending")


def test_workers_finish_what_they_run(busy: Laptop) -> None:
    """After the first Ctrl-C no message is started, and running ones finish."""
    dev = busy.dev()
    dev.until("Redis is reachable").send(2)
    wait_for(lambda: len(ledger.read(busy.ledger)) == 2, "both run")

    dev.process.send_signal(signal.SIGINT)
    dev.until("waiting for workers to finish")
    busy.go_on()

    assert dev.wait() == 0
    assert len(ledger.by_message(ledger.read(busy.ledger), "end")) == 2
