"""Measures how long maintenance blocks Redis while the oldest message of a stream is large.

A script that reads an entry copies its body, and Redis serves nobody else meanwhile. Each number is the longest of the
calls after the first one; `first` is the first call, which reads a large entry once. `--redis` is the address of a
server for this measurement alone, which is emptied; without it, one is started.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable

from table import report

from penstock.embedded import Embedded
from penstock.janitor.reconcile import Reconciler
from penstock.keys import PipelineKeys
from penstock.maintenance.measure import measure
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis, Timeouts
from penstock_spec.values.quantities import Duration

CALLS = 5
SPEC = {
    "kind": "pipeline",
    "name": "bench",
    "owner": {"team": "bench"},
    "handler": "noop:HANDLER",
    "image": "registry.example/bench:1.0.0",
    "stream": {"key": "bench", "group": "bench"},
    "dead_letter": {"key": "{bench}:dead"},
}


async def timed(call: Callable[[], Awaitable[object]]) -> float:
    """Milliseconds of a call."""
    started = time.perf_counter()
    await call()
    return (time.perf_counter() - started) * 1000


async def rounds(link: Link, keys: PipelineKeys, spec: Pipeline) -> dict[str, float]:
    """The first and the longest later call of each."""
    large = b""

    async def measured() -> None:
        nonlocal large
        large = (await measure(link, keys, large)).large

    reconciler = Reconciler(link, keys, spec)
    results: dict[str, float] = {}
    for name, call in (("measure", measured), ("reconcile", reconciler.stream)):
        first, *later = [await timed(call) for _ in range(CALLS)]
        results |= {f"{name} first": first, name: max(later)}
    return results


async def run(address: str, megabytes: int) -> dict[str, float]:
    """All calls, in each state of the large entry."""
    spec = Pipeline.model_validate(SPEC)
    keys = PipelineKeys.of(spec)
    redis = Redis(addresses=[address], timeouts=Timeouts(answer=Duration("60s")))
    link = Link(Route.to(redis, "", credentials=Credentials()), name="bench")
    results: dict[str, float] = {}
    for state in ("unread", "running"):
        await link.call("FLUSHALL")
        await link.call("XGROUP", "CREATE", keys.stream, keys.group, "0", "MKSTREAM")
        await link.call("XADD", keys.stream, "*", "data", b"x" * (megabytes * 1_000_000))
        for number in range(1000):
            await link.call("XADD", keys.stream, "*", "data", number)
        if state == "running":
            await link.call("XREADGROUP", "GROUP", keys.group, "worker", "COUNT", 100, "STREAMS", keys.stream, ">")
        results |= {f"{state}: {name}": ms for name, ms in (await rounds(link, keys, spec)).items()}
    await link.close()
    return results


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--redis", metavar="HOST:PORT")
    parser.add_argument("--megabytes", type=int, default=100)
    options = parser.parse_args()
    if options.redis:
        results = asyncio.run(run(options.redis, options.megabytes))
    else:
        with Embedded() as server:
            results = asyncio.run(run(f"127.0.0.1:{server.port}", options.megabytes))
    figures = {name: round(ms, 1) for name, ms in results.items()}
    report([(name, f"{ms} ms") for name, ms in figures.items()], figures)


if __name__ == "__main__":
    main()
