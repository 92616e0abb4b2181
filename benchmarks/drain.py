"""Measures how fast a worker drains a stream, compared with a simple handwritten loop on the same server.

The worker runs with all its features: leases, fences, a schema, metrics, HTTP. With two cores, server and worker have
one each. Rounds alternate, and medians count. Compare the ratios: the seconds depend on the machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server import Redis, encode, on_core, pin
from table import report

from penstock.embedded import Embedded

HERE = Path(__file__).parent
ROUNDS, MESSAGES = 5, 40_000
PINGS, STARTS = 400, 7
LONG, EARLY = 2_000_000, 200_000
BATCH, MOST_WAITING = 1000, 100_000
SPEC = """\
kind: pipeline
name: bench
owner: {team: bench}
handler: noop:HANDLER
image: registry.example/bench:1.0.0
stream: {key: bench, group: bench}
message:
  schema:
    type: object
    required: [job_id, n]
    properties:
      job_id: {type: string, minLength: 1}
      n: {type: integer, minimum: 0}
      note: {type: string}
work: {concurrency: 100}
"""
PLATFORM = """\
kind: platform
environments:
  dev: {namespace: bench, redis: {addresses: ["127.0.0.1:6379"]}}
"""


class Stream(Redis):
    """The stream that is drained."""

    def reset(self) -> None:
        """Reset to an empty stream with a group."""
        self.ask("FLUSHALL")
        self.ask("XGROUP", "CREATE", "bench", "bench", "0", "MKSTREAM")

    def fill(self, messages: int, worker: subprocess.Popen[bytes] | None = None) -> None:
        """Add messages; with a worker, wait while many are in the stream."""
        bodies = [json.dumps({"job_id": f"job-{n}", "n": n, "note": "as small as bodies are"}) for n in range(BATCH)]
        batch = b"".join(encode("XADD", "bench", "*", "data", body) for body in bodies)
        for _ in range(0, messages, BATCH):
            while worker is not None and self.ask("XLEN", "bench") > MOST_WAITING:
                time.sleep(0.05)
            self.ask_all(batch, BATCH)


@dataclass(frozen=True, slots=True)
class Run:
    """The report of one process, and the server's CPU time."""

    report: dict[str, Any]
    redis: float
    """CPU seconds of the server."""


class Bench:
    """A repository in a folder, and a server."""

    def __init__(self, folder: Path, server: Embedded) -> None:
        self.folder = folder
        self.redis = Stream(server.port)
        self._port = server.port
        (folder / "specs").mkdir()
        (folder / "penstock.yaml").write_text(PLATFORM)

    @contextmanager
    def process(self, kind: str, handler: str, messages: int, marks: Sequence[int] = ()) -> Iterator[Any]:
        """A worker or the bare loop, with a function that waits for its report."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        (self.folder / "specs" / "bench.yaml").write_text(SPEC.replace("HANDLER", handler))
        url = f"redis://127.0.0.1:{self._port}"
        words = {
            "bare": [sys.executable, str(HERE / "bare.py"), str(self._port), "bench", "bench", handler],
            "worker": [sys.executable, "-m", "penstock", "worker", "bench", "--redis", url, "--listen", "127.0.0.1:0"],
        }
        environ = {
            "BENCH_MESSAGES": str(messages),
            "BENCH_MARKS": ",".join(map(str, marks)),
            "BENCH_REPORT": str(report),
            "PYTHONPATH": str(HERE),
        }
        process = subprocess.Popen(  # noqa: S603 - our own command
            [*on_core(1), *words[kind]],
            cwd=self.folder,
            env={**os.environ, **environ},
            stderr=(self.folder / "log").open("wb"),
        )

        def wait() -> dict[str, Any]:
            while not report.exists():
                if process.poll() is not None:
                    sys.exit((self.folder / "log").read_text())
                time.sleep(0.02)
            results: dict[str, Any] = json.loads(report.read_text())
            return results

        try:
            yield process, wait
        finally:
            process.kill()
            process.wait()

    def drain(self, kind: str) -> Run:
        """Drain a full stream."""
        self.redis.reset()
        self.redis.fill(MESSAGES)
        before = self.redis.cpu()
        with self.process(kind, "handle", MESSAGES) as (_, wait):
            results = wait()
            while self.redis.ask("XLEN", "bench"):
                time.sleep(0.01)
            return Run(results, self.redis.cpu() - before)

    def latency(self, kind: str) -> float:
        """Seconds from the send to the handler, one message at a time."""
        self.redis.reset()
        with self.process(kind, "measure_latency", PINGS) as (_, wait):
            for n in range(PINGS):
                body = {"job_id": f"job-{n}", "n": n, "at": time.monotonic()}
                self.redis.ask("XADD", "bench", "*", "data", json.dumps(body))
                while self.redis.ask("XLEN", "bench"):
                    time.sleep(0.001)
            latencies: list[float] = wait()["latencies"]
            return statistics.median(latencies[PINGS // 10 :])

    def start(self) -> float:
        """Seconds from the start of the process to its first message."""
        self.redis.reset()
        self.redis.fill(BATCH)
        began = time.monotonic()
        with self.process("worker", "handle", BATCH) as (_, wait):
            first: float = wait()["first"]
            return first - began

    def growth(self) -> tuple[float, float]:
        """Memory of a worker in MB after many messages, and its ratio to that after a tenth of them."""
        self.redis.reset()
        with self.process("worker", "handle", LONG, (EARLY, LONG)) as (process, wait):
            self.redis.fill(LONG, process)
            sizes = wait()["sizes"]
        return sizes[str(LONG)], sizes[str(LONG)] / sizes[str(EARLY)]


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, Embedded() as server:
        pin(server.pid, 0)
        bench = Bench(Path(folder), server)
        bare: list[Run] = []
        worker: list[Run] = []
        for _ in range(ROUNDS):
            bare.append(bench.drain("bare"))
            worker.append(bench.drain("worker"))
        latencies = [bench.latency(kind) for kind in ("bare", "worker")]
        start = statistics.median(bench.start() for _ in range(STARTS))
        rss, growth = bench.growth()
    rates = [statistics.median(MESSAGES / run.report["seconds"] for run in runs) for runs in (bare, worker)]
    cpu = [statistics.median(run.report["cpu"] / MESSAGES * 1e6 for run in runs) for runs in (bare, worker)]
    redis = [statistics.median(run.redis / MESSAGES * 1e6 for run in runs) for runs in (bare, worker)]
    ratio = statistics.median(a.report["seconds"] / b.report["seconds"] for a, b in zip(bare, worker, strict=True))
    report(
        [
            ("bare loop, messages/s", f"{rates[0]:,.0f}"),
            ("worker, messages/s", f"{rates[1]:,.0f}"),
            ("bare loop, CPU per message", f"{cpu[0]:.1f} us"),
            ("worker, CPU per message", f"{cpu[1]:.1f} us"),
            ("bare loop, Redis CPU per message", f"{redis[0]:.1f} us"),
            ("worker, Redis CPU per message", f"{redis[1]:.1f} us"),
            ("bare loop, idle latency", f"{latencies[0] * 1000:.2f} ms"),
            ("worker, idle latency", f"{latencies[1] * 1000:.2f} ms"),
            ("worker, start to first message", f"{start:.2f} s"),
            (f"worker, memory after {LONG:,} messages", f"{rss:.0f} MB"),
        ],
        {
            "drain_ratio": round(ratio, 3),
            "redis_cpu_ratio": round(redis[1] / redis[0], 3),
            "latency_ratio": round(latencies[1] / latencies[0], 3),
            "start_s": round(start, 3),
            "rss_mb": round(rss, 1),
            "rss_growth": round(growth, 4),
        },
    )


if __name__ == "__main__":
    main()
