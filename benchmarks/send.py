"""Measures how fast a producer sends, compared with pipelined XADDs on the same server.

The producer runs with all its features: the backlog limit, a schema, ids, metrics; deduplication is measured apart.
The XADDs encode the same bodies, with the same number per round trip. With two cores, server and sender have one each.
Rounds alternate, and medians count. Compare the ratios: the seconds depend on the machine.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import redis.asyncio
import uvloop
from table import report

from penstock.embedded import Embedded
from penstock.producer import Producer, Sent
from penstock.producer.pace import MOST
from penstock.wire.credentials import Credentials
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis

ROUNDS, MESSAGES, PINGS = 7, 20_000, 2000
KEY = "bench"
SCHEMA = {
    "type": "object",
    "required": ["job_id", "n"],
    "properties": {
        "job_id": {"type": "string", "minLength": 1},
        "n": {"type": "integer", "minimum": 0},
        "note": {"type": "string"},
    },
}
BODIES = [{"job_id": f"job-{n}", "n": n, "note": "as small as bodies are"} for n in range(MESSAGES)]


@dataclass(frozen=True, slots=True)
class Run:
    """The seconds to send all messages."""

    took: float
    cpu: float
    redis: float


def spec(**message: object) -> Pipeline:
    """A pipeline to send to."""
    return Pipeline.model_validate(
        {
            "kind": "pipeline",
            "name": "bench",
            "owner": {"team": "bench"},
            "handler": "noop:handle",
            "image": "registry.example/bench:1.0.0",
            "stream": {"key": KEY, "group": KEY},
            "message": {"schema": SCHEMA, **message},
            "dead_letter": {"key": f"{{{KEY}}}:dead"},
        }
    )


class Bench:
    """A server, and a sender of each kind."""

    def __init__(self, port: int) -> None:
        self.client = redis.asyncio.Redis(port=port)
        where = Redis(addresses=[f"127.0.0.1:{port}"])
        self.plain = Producer(spec(), where, credentials=Credentials())
        self.dedup = Producer(spec(dedup={"by": "job_id", "window": "1h"}), where, credentials=Credentials())

    async def bare(self) -> None:
        """Send with pipelined XADDs."""
        for start in range(0, MESSAGES, MOST):
            pipe = self.client.pipeline(transaction=False)
            for body in BODIES[start : start + MOST]:
                pipe.xadd(KEY, {"data": json.dumps(body)})
            await pipe.execute()

    async def many(self, producer: Producer) -> None:
        """Send with Penstock."""
        outcomes = await producer.send_many(BODIES)
        if not all(isinstance(outcome, Sent) for outcome in outcomes):
            raise SystemExit(f"not all were sent: {outcomes[-1]}")

    async def run(self, send: Callable[[], Awaitable[None]]) -> Run:
        """Run once on an empty server."""
        await self.client.flushall()
        redis_before, cpu, start = await self.redis_cpu(), time.process_time(), time.perf_counter()
        await send()
        took, cpu = time.perf_counter() - start, time.process_time() - cpu
        return Run(took, cpu, await self.redis_cpu() - redis_before)

    async def latency(self, send: Callable[[Any], Awaitable[object]]) -> float:
        """The median seconds of single sends, one after the other."""
        await self.client.flushall()
        took = []
        for body in BODIES[:PINGS]:
            start = time.perf_counter()
            await send(body)
            took.append(time.perf_counter() - start)
        return statistics.median(took)

    async def redis_cpu(self) -> float:
        """CPU seconds that the server has used."""
        info = await self.client.info("cpu")
        return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])

    async def close(self) -> None:
        await self.plain.close()
        await self.dedup.close()
        await self.client.aclose()


async def measure(port: int) -> tuple[list[list[Run]], list[float]]:
    """The rounds of each kind, and the latencies of single sends."""
    bench = Bench(port)
    kinds = (bench.bare, lambda: bench.many(bench.plain), lambda: bench.many(bench.dedup))
    rounds = [[await bench.run(kind) for kind in kinds] for _ in range(ROUNDS)]
    runs = [list(of_kind) for of_kind in zip(*rounds, strict=True)]
    latencies = [
        await bench.latency(lambda body: bench.client.xadd(KEY, {"data": json.dumps(body)})),
        await bench.latency(bench.plain.send),
    ]
    await bench.close()
    return runs, latencies


def main() -> None:
    """Measure and print."""
    with Embedded() as server:
        if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
            os.sched_setaffinity(server.pid, {0})
            os.sched_setaffinity(0, {1})
        runs, latencies = uvloop.run(measure(server.port))
    bare, plain, dedup = runs
    rows: list[tuple[str, str]] = []
    for label, of_kind in (("pipelined XADD", bare), ("send_many", plain), ("send_many, deduplicated", dedup)):
        rows += [
            (f"{label}, messages/s", f"{MESSAGES / statistics.median(run.took for run in of_kind):,.0f}"),
            ("  CPU per message", f"{statistics.median(run.cpu for run in of_kind) / MESSAGES * 1e6:.1f} us"),
            ("  Redis CPU per message", f"{statistics.median(run.redis for run in of_kind) / MESSAGES * 1e6:.1f} us"),
        ]
    rows += [
        ("XADD, sequential", f"{latencies[0] * 1e6:.0f} us"),
        ("send, sequential", f"{latencies[1] * 1e6:.0f} us"),
    ]

    def ratio(runs_of_penstock: list[Run], figure: Callable[[Run], float]) -> float:
        return round(statistics.median(figure(b) / figure(a) for a, b in zip(bare, runs_of_penstock, strict=True)), 3)

    report(
        rows,
        {
            "send_ratio": ratio(plain, lambda run: 1 / run.took),
            "dedup_ratio": ratio(dedup, lambda run: 1 / run.took),
            "redis_cpu_ratio": ratio(plain, lambda run: run.redis),
            "latency_ratio": round(latencies[1] / latencies[0], 3),
        },
    )


if __name__ == "__main__":
    main()
