"""Measures one peer: sends, drain, latency, and what they cost."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from catalogue import Peer
from running import Run, Server, until
from server import Redis

SEQUENTIAL = 2000
PROBES, RATE = 1000, 200
SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one round."""

    drain: float
    """Messages a second, from the first to the last call of the handler."""
    settled: float
    """The same until nothing is left unacknowledged."""
    sequential: float
    bulk: float
    """Messages sent a second."""
    worker_us: float
    redis_us: float
    """CPU for a message, in microseconds."""
    commands: float
    """Commands for a message, as Redis counts them; those that scripts call are included."""
    memory: float
    """Resident memory of the worker after the drain, in MB."""
    p50: float
    p99: float
    """From the send to the handler while nothing else is to be done, in ms."""


def measure(peer: Peer, server: Server, messages: int) -> Figures:
    """Measure once. The worker is started when everything is sent."""
    environ = {"PEER_MESSAGES": str(messages), "PEER_PROBES": str(PROBES)}
    redis = Redis(server.port)
    redis.ask("FLUSHALL")
    with tempfile.TemporaryDirectory() as folder:
        latencies = [] if not peer.drain else _latencies(peer, server)
        redis.ask("FLUSHALL")
        run = Run(peer, server, Path(folder), {**environ, **peer.drain}, lease=False)
        with run.producer() as order:
            sequential = SEQUENTIAL / order("seq", 0, SEQUENTIAL)
            bulk = (messages - SEQUENTIAL) / order("bulk", SEQUENTIAL, messages)
            cpu, commands = redis.cpu(), calls(redis)
            worker = run.start()
            try:
                drained = run.report("drained", worker, SECONDS)
                until(lambda: run.left == 0, 30, "some messages stay unacknowledged")
                settled = max(time.monotonic(), drained["last"])
                cpu, commands = redis.cpu() - cpu, calls(redis) - commands
                own = drained["cpu"] - run.report("started", worker, 1)["cpu"]
                memory = resident(int(drained["pid"]))
                if not peer.drain:
                    time.sleep(1)  # until the worker is idle: that state is what the probes measure
                    order("probe", messages, messages + PROBES, RATE)
                    latencies = run.report("probed", worker, 60)["latencies"]
            finally:
                run.stop(worker)
    took = drained["last"] - drained["first"]
    return Figures(
        drain=messages / took,
        settled=messages / (settled - drained["first"]),
        sequential=sequential,
        bulk=bulk,
        worker_us=own / messages * 1e6,
        redis_us=cpu / messages * 1e6,
        commands=commands / messages,
        memory=memory,
        p50=statistics.median(latencies) * 1000,
        p99=percentile(latencies, 0.99) * 1000,
    )


def _latencies(peer: Peer, server: Server) -> list[float]:
    """Latencies at the peer's default, because its drain has a setting that no one runs an idle worker with."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(peer, server, Path(folder), {"PEER_MESSAGES": "1", "PEER_PROBES": str(PROBES)}, lease=False)
        with run.producer() as order:
            order("seq", 0, 1)
            worker = run.start()
            try:
                run.report("drained", worker, SECONDS)
                order("probe", 1, 1 + PROBES, RATE)
                latencies: list[float] = run.report("probed", worker, 120)["latencies"]
            finally:
                run.stop(worker)
    return latencies


def calls(redis: Redis) -> int:
    """Commands that the server has run, without those of this connection."""
    stats = redis.ask("INFO", "commandstats").decode().split("\r\n")
    own = ("cmdstat_info:", "cmdstat_xinfo", "cmdstat_llen:", "cmdstat_hlen:", "cmdstat_zcard:", "cmdstat_xlen:")
    counted = [line for line in stats if line.startswith("cmdstat_") and not line.startswith(own)]
    return sum(int(line.split("calls=")[1].split(",")[0]) for line in counted)


def resident(pid: int) -> float:
    """Resident memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
