"""`penstock dev` applies changed files; it logs each error once, and keeps running the last valid version."""

from __future__ import annotations

import ledger
from dev_session import HANDLERS, Laptop
from servers import wait_for


def test_an_invalid_spec_keeps_its_last_valid_version(busy: Laptop) -> None:
    """Its worker and a replacement run the last valid version, until the spec is valid again."""
    dev = busy.dev()
    dev.until("Redis is reachable").until("replicas 1/1")
    (before,) = dev.workers()
    good = busy.spec.read_text()

    busy.spec.write_text(good + "nonsense: true\n")

    dev.until(r"error: specs/trial.yaml:\d+:1: .*`nonsense`.*still running the last valid version")
    assert dev.workers() == [before]
    dev.send(1)
    busy.go_on()
    wait_for(lambda: dev.left() == 0, "it is done")
    busy.spec.write_text(good.replace("concurrency: 4", "concurrency: 5"))
    dev.until("valid again").until("spec changed; restarting workers")
    wait_for(lambda: dev.workers() not in ([], [before]), "a replacement runs")


def test_changed_code_is_run(busy: Laptop) -> None:
    """Workers restart, and the new code runs the next message."""
    busy.handlers.write_text(HANDLERS)
    dev = busy.dev()
    dev.until("Redis is reachable").until("replicas 1/1")
    (before,) = dev.workers()

    busy.handlers.write_text(HANDLERS.replace('"end"', '"changed"'))

    dev.until("code changed; restarting workers")
    wait_for(lambda: before not in dev.workers(), "the worker with the old code has stopped")
    dev.send(1)
    wait_for(lambda: ledger.by_message(ledger.read(busy.ledger), "changed"), "the new code runs it")


def test_a_handler_that_cannot_be_imported_is_reported_once(busy: Laptop) -> None:
    """With the reason and a hint; when it is fixed, a worker starts."""
    busy.handlers.write_text("import nowhere\n")
    dev = busy.dev()
    error = r"error: cannot start: .*nowhere"
    dev.until(error)
    wait_for(lambda: dev.count_of("replicas 0/1") > 0, "its numbers are written")
    assert dev.count_of(error) == 1

    busy.handlers.write_text(HANDLERS)

    dev.until("can start again")
    dev.send(1)
    wait_for(lambda: dev.left() == 0, "it is done")


def test_pipelines_follow_their_specs(laptop: Laptop) -> None:
    """If the whole repository runs, a new spec is started and a removed one is stopped."""
    dev = laptop.dev_all()
    dev.until("running 1 pipeline in `dev`").until("Redis is reachable")
    other = laptop.spec.with_name("other.yaml")
    text = laptop.spec.read_text().replace("trial", "other").replace("owner:", "scaling: {replicas: {min: 1}}\nowner:")

    other.write_text(text)

    wait_for(lambda: dev.processes("other.json"), "its worker runs")
    other.unlink()
    dev.until("other: spec removed; stopping workers")
    wait_for(lambda: not dev.processes("other.json"), "its worker has stopped")


def test_without_any_spec_it_waits_for_one(laptop: Laptop) -> None:
    """Nothing runs, not even the janitor, and nothing is an error. A new invalid spec is reported."""
    dev = laptop.dev_all()
    dev.until("Redis is reachable")
    wait_for(lambda: dev.processes("penstock janitor"), "the janitor runs")
    text = laptop.spec.read_text()

    laptop.spec.unlink()

    dev.until("trial: spec removed; stopping workers")
    wait_for(lambda: not dev.processes("penstock janitor"), "the janitor has stopped")
    laptop.spec.write_text(text + "nonsense: true\n")
    dev.until(r"error: specs/trial.yaml:\d+:1: .*`nonsense`.*; nothing is running")
    assert not dev.count_of("cannot start")
    laptop.spec.write_text(text)
    dev.until("valid again")
    wait_for(lambda: dev.processes("penstock janitor"), "the janitor runs again")
    assert dev.interrupt() == 0
