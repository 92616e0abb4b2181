"""The peers: how each is started, what is left to do in its queue, and how it is set."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from environments import APPS, BUILD, GO, NEWER, NODE, python
from server import Redis

Left = Callable[[Redis, str], int]

LEASE = 10
"""Seconds for the second part of the kill test, where a peer lets its users choose them."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A queue under test."""

    environment: str
    """Folder of its environment; empty for Penstock, which runs in this one."""
    producer: tuple[str, ...]
    worker: tuple[str, ...]
    """Words of the commands: `{python}`, `{bin}`, `{apps}` and `{queue}` are filled in."""
    left: Left
    """Messages that are not settled."""
    settings: str
    """For people: how it is set, where that is not the default."""
    package: str = ""
    """Distribution whose version is printed; by default its environment's name."""
    environ: Mapping[str, str] = field(default_factory=dict)
    drain: Mapping[str, str] = field(default_factory=dict)
    """Settings for the drain alone, where the default caps it; latency and kills are measured at the default."""
    kill: Mapping[str, str] = field(default_factory=dict)
    """Settings for the kill test alone."""
    kill_worker: tuple[str, ...] = ()
    """Another command for the kill test."""
    lease: str = ""
    """Setting that the second part of the kill test sets to `LEASE`; empty if there is none."""
    takes_over: bool = True
    """Whether it claims to run the messages of a lost worker again."""
    variant: bool = False
    """Whether it is Penstock in another setting; it is not killed again."""

    @property
    def version(self) -> str:
        """The version that is installed."""
        if not self.environment:
            return importlib.metadata.version("penstock")
        if self.environment == NODE:
            package = BUILD / NODE / "node_modules" / "bullmq" / "package.json"
            return str(json.loads(package.read_text())["version"])
        if self.environment == GO:
            line = next(one for one in (APPS / "asynq" / "go.mod").read_text().split("\n") if "hibiken" in one)
            return line.split()[-1].removeprefix("v")
        code = f"import importlib.metadata as m; print(m.version({self.package or self.environment!r}))"
        command = [str(python(self.environment)), "-c", code]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603

    def command(self, words: tuple[str, ...], queue: str) -> list[str]:
        """Fill in the words of a command."""
        interpreter = python(self.environment) if self.environment else Path(sys.executable)
        places = {"python": interpreter, "bin": interpreter.parent, "apps": APPS, "queue": queue, "build": BUILD}
        return [word.format(**places) for word in words]


def in_group(group: str) -> Left:
    """Entries of the stream that the group has not read or not acknowledged."""

    def left(redis: Redis, queue: str) -> int:
        for flat in redis.ask("XINFO", "GROUPS", queue):
            one = dict(zip(flat[::2], flat[1::2], strict=True))
            if one[b"name"].decode() == group:
                return int(one[b"lag"] or 0) + int(one[b"pending"])
        return 0

    return left


def summed(*commands: str) -> Left:
    """The sum of commands such as `LLEN {queue}`."""

    def left(redis: Redis, queue: str) -> int:
        return sum(redis.ask(*command.format(queue=queue).split()) for command in commands)

    return left


def _app(name: str) -> tuple[str, ...]:
    return ("{python}", "{apps}/app_" + name + ".py", "producer")


BARE = "redis-py, COUNT 100, XACK and XDEL in one pipeline, uvloop"
CELERY = (
    *("{bin}/celery", "-A", "app_celery", "worker", "-Q", "{queue}", "-l", "ERROR"),
    *("--without-gossip", "--without-mingle", "--without-heartbeat"),
)
PENSTOCK = ("{python}", "-m", "penstock", "worker", "bench", "--redis", "{url}", "--listen", "127.0.0.1:0")

PEERS: dict[str, Peer] = {
    "penstock": Peer(
        "",
        _app("penstock"),
        PENSTOCK,
        in_group("bench"),
        "leases, fences, schema, metrics and HTTP on",
        lease="work.lease",
    ),
    "penstock, newer Python": Peer(
        NEWER, _app("penstock"), PENSTOCK, in_group("bench"), "the same on a newer Python", "penstock", variant=True
    ),
    "penstock, eager tasks": Peer(
        NEWER,
        _app("penstock"),
        PENSTOCK,
        in_group("bench"),
        "the same newer Python, with asyncio's eager tasks",
        "penstock",
        environ={"PEER_EAGER": "1"},
        variant=True,
    ),
    "bare loop, inline": Peer(
        "bare", _app("bare"), ("{python}", "{apps}/app_bare.py", "inline"), in_group("bench"), BARE, "redis",
        takes_over=False,
    ),
    "bare loop, tasks": Peer(
        "bare", _app("bare"), ("{python}", "{apps}/app_bare.py", "tasks"), in_group("bench"), BARE, "redis",
        takes_over=False,
    ),
    "streaq": Peer(
        "streaq",
        _app("streaq"),
        ("{bin}/streaq", "run", "app_streaq:worker"),
        summed("XLEN streaq:{queue}:queues:normal"),
        "coredis optimized, enqueue_many, no results, uvloop",
        lease="idle_timeout",
    ),
    "docket": Peer(
        "docket",
        _app("docket"),
        ("{python}", "{apps}/app_docket.py", "worker"),
        summed("XLEN {queue}:stream"),
        "add_many, no results, uvloop, redis-py 7; drain with minimum_check_interval 5 ms",
        "pydocket",
        drain={"PEER_POLL_MS": "5"},
        lease="redelivery_timeout",
    ),
    "arq": Peer(
        "arq",
        _app("arq"),
        ("{python}", "-W", "ignore", "{apps}/app_arq.py", "worker"),
        summed("ZCARD {queue}"),
        "no results, uvloop; drain with poll_delay 10 ms",
        drain={"PEER_POLL_MS": "10"},
        lease="job_timeout",
    ),
    "taskiq-redis": Peer(
        "taskiq",
        _app("taskiq"),
        ("{bin}/taskiq", "worker", "app_taskiq:broker", "--workers", "1", "--max-async-tasks", "{concurrency}",
         "--max-prefetch", "100", "--log-level", "ERROR"),
        in_group("bench"),
        "RedisStreamBroker, max-prefetch 100, orjson, uvloop; the stream keeps everything",
        "taskiq-redis",
        lease="idle_timeout, unacknowledged_lock_timeout",
    ),
    "FastStream": Peer(
        "faststream",
        _app("faststream"),
        ("{bin}/faststream", "run", "app_faststream:app", "--log-level", "error"),
        in_group("bench"),
        "max_records 100, uvloop; the stream keeps everything",
        lease="min_idle_time",
    ),
    "SAQ": Peer(
        "saq",
        _app("saq"),
        ("{python}", "{apps}/app_saq.py", "worker"),
        summed("ZCARD saq:{queue}:incomplete"),
        "no results, orjson, uvloop",
        lease="timeout, retries",
    ),
    "dramatiq": Peer(
        "dramatiq",
        _app("dramatiq"),
        ("{bin}/dramatiq", "app_dramatiq", "-p", "1", "-t", "8", "-Q", "{queue}"),
        summed("HLEN dramatiq:{queue}.msgs"),
        "1 process, 8 threads, its defaults; kills with 100 threads",
        kill_worker=("{bin}/dramatiq", "app_dramatiq", "-p", "1", "-t", "100", "-Q", "{queue}"),
        lease="heartbeat_timeout, maintenance_chance",
    ),
    "Celery": Peer(
        "celery",
        _app("celery"),
        (*CELERY, "-P", "solo", "-c", "1"),
        summed("LLEN {queue}", "HLEN unacked"),
        "acks_late, no results, solo pool (its fastest), prefetch 100; kills with 100 threads",
        environ={"PEER_CONCURRENCY": "1"},
        kill={"PEER_CONCURRENCY": "100"},
        kill_worker=(*CELERY, "-P", "threads", "-c", "100"),
        lease="visibility_timeout",
    ),
    "BullMQ (Node)": Peer(
        NODE,
        ("node", "{apps}/app_bullmq.mjs", "producer"),
        ("node", "{apps}/app_bullmq.mjs", "worker"),
        summed("LLEN bull:{queue}:wait", "LLEN bull:{queue}:active"),
        "addBulk, finished jobs removed",
        environ={"PEER_NODE": str(BUILD / NODE)},
        lease="lockDuration, stalledInterval",
    ),
    "asynq (Go)": Peer(
        GO,
        ("{build}/asynq/peer", "producer"),
        ("{build}/asynq/peer", "worker"),
        summed("LLEN asynq:{{{queue}}}:pending", "LLEN asynq:{{{queue}}}:active"),
        "its defaults; its lease cannot be set",
    ),
}  # fmt: skip
