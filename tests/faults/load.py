"""The load of a storm: the handler, the spec, and senders that record what they were told."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from random import Random

from fault_journal import append

from penstock.producer import NotSent, SyncProducer, Unknown

ATTEMPTS = 6
HANDLERS = """\
import asyncio, os, zlib
import penstock
from fault_journal import note

async def handle(message, context):
    body = message["id"]
    kind = body.partition("-")[0]
    about = (body, context.entry, context.fence, context.attempt, context.message_id)
    note("begin", *about)
    if kind == "exit":
        os._exit(9)
    if kind == "eat":
        data = bytearray(b"x" * (300 << 20))
        await asyncio.sleep(len(data))
    if kind == "bury":
        raise penstock.Bury("for good")
    if kind == "flaky" and context.attempt == 1:
        raise penstock.Retry(after=0.2)
    await asyncio.sleep(message["takes"])
    if kind in ("result", "big"):
        context.leave({"fence": context.fence, "pad": "x" * (60_000 if kind == "big" else 0)})
    if kind == "brief":
        context.leave({"pad": "x" * 20_000}, keep="10s")
    note("end", *about)
"""
SPEC = """\
work: {concurrency: 8, lease: 10s, block: 1s, timeout: 30s}
retries: {attempts: %d, backoff: {first: 100ms, limit: 1s}}
send: {breaker: {cooldown: 1s}}
stream: {key: trial, group: trial, backlog: {limit: 2000000}}
shutdown: {grace: 60s, margin: 10s}
message: {schema: {type: object, required: [id], properties: {id: {type: string}}}%s}
"""
DEDUP = ", dedup: {by: id, window: %s}"
KINDS = {"ok": 10, "flaky": 3, "slow": 2, "result": 4, "big": 1, "bury": 1}
"""How often each kind of message is sent. Families add `exit`, `eat`, `later` and `soon`."""
SOAK = {"ok": 10, "flaky": 3, "slow": 2, "brief": 5}
"""The same for a soak: all that Redis keeps is gone after some seconds, so that its memory can stay flat."""
NEVER_DONE = ("bury", "exit", "eat")
"""Kinds that end as dead letters; all others must be done."""
DELAY = 1.5
"""Seconds after which a delayed message is due."""
DELAYED = ("later", "soon")
"""Kinds that are delayed. `later` is held to it; with `soon`, the clock of Redis itself jumps."""
LEFT_RESULTS = ("result", "big")
PACE = 0.03
"""Seconds between two sends of one sender."""
TIMEOUT = 5.0
"""Seconds for which a send waits for Redis."""


def sections(dedup: str, attempts: int) -> dict[str, str]:
    """The sections of the spec, each on one line."""
    return {line.partition(":")[0]: line for line in (SPEC % (attempts, dedup)).splitlines()}


class Sender(threading.Thread):
    """Sends different messages until it is stopped, each with one `send()`, and records the outcome."""

    def __init__(self, spec: Path, url: str, file: Path, rng: Random, kinds: dict[str, int]) -> None:
        super().__init__(daemon=True)
        platform = next(folder for folder in spec.parents if (folder / "penstock.yaml").exists()) / "penstock.yaml"
        self._producer = SyncProducer.of(spec, redis_url=url, platform=platform, env="dev")
        self._name = spec.stem
        self._file = file
        self._rng = rng
        self._kinds = kinds
        self.stopped = threading.Event()

    def run(self) -> None:
        number = 0
        with self._producer:
            while not self.stopped.wait(PACE):
                [kind] = self._rng.choices(list(self._kinds), list(self._kinds.values()))
                takes = self._rng.uniform(0.5, 1.5) if kind == "slow" else self._rng.uniform(0, 0.03)
                self.send(f"{kind}-{self._name}-{number}", takes)
                number += 1

    def send(self, body: str, takes: float) -> None:
        append(self._file, "attempted", body)
        try:
            delay = DELAY if body.partition("-")[0] in DELAYED else None
            self._producer.send({"id": body, "takes": round(takes, 3)}, delay=delay, timeout=TIMEOUT)
        except Unknown:
            append(self._file, "unknown", body)
        except NotSent:
            append(self._file, "refused", body)
            time.sleep(0.1)
        else:
            append(self._file, "acknowledged", body)
