"""Measures how a pipeline grows: more workers, larger bodies, a long stream, many parked messages, many consumers.

A line each, with the drain, the CPU of Redis for a message, and the longest command that Redis ran meanwhile, because
every other client waits for it. Server and workers have a core each, so several workers share one. Compare the ratios.
Writes benchmarks/results/growth.json, from which `make generate` makes docs/benchmarks.md.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from drain import Bench
from server import Redis, pin
from table import report

from penstock.embedded import Embedded

RESULTS = Path(__file__).parent / "results" / "growth.json"
MESSAGES = 100_000
STREAM, GROUP = "bench", "bench"
LONG, PARKED, CONSUMERS = 10_000_000, 1_000_000, 10_000
ROUND = 10_000
"""Entries that one call of a script adds."""
FILL = """
local body = cjson.encode({job_id = 'job-1', n = 1, note = string.rep('x', tonumber(ARGV[2]))})
for _ = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 'data', body) end
"""
PARK = """
local read = redis.call('XREADGROUP', 'GROUP', ARGV[1], 'filler', 'COUNT', ARGV[2], 'STREAMS', KEYS[1], '>')[1][2]
for _, entry in ipairs(read) do
  redis.call('ZADD', KEYS[2], '9e12', entry[1])
  redis.call('XCLAIM', KEYS[1], ARGV[1], '~parked', 0, entry[1], 'JUSTID')
end
"""
JOIN = """
local time = redis.call('TIME')[1] * 1000 + 3600000
for i = 1, ARGV[2] do
  local name = string.format('other~%08d', i)
  redis.call('XGROUP', 'CREATECONSUMER', KEYS[1], ARGV[1], name)
  redis.call('ZADD', KEYS[2], time, name)
end
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One measurement."""

    label: str
    per_second: float
    redis_us: float
    longest_ms: float
    """The longest command that Redis ran."""
    redis_mb: float
    """Memory of Redis at the start of the drain."""


class Growth:
    """Pipelines of different sizes on one server."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._redis: Redis = bench.redis
        self._redis.ask("CONFIG", "SET", "slowlog-log-slower-than", 500)

    def fill(self, messages: int, body: int = 20) -> None:
        """Add messages with bodies of about this many bytes, in a few calls."""
        for _ in range(0, messages, ROUND):
            self._redis.ask("EVAL", FILL, 1, STREAM, min(messages, ROUND), body)

    @contextmanager
    def workers(self, count: int) -> Iterator[None]:
        """Workers that have joined the group."""
        joined = self._joined()
        with ExitStack() as stack:
            for _ in range(count):
                stack.enter_context(self._bench.process("worker", "handle", 10**12))
            while self._joined() < joined + count:
                time.sleep(0.05)
            yield

    def _joined(self) -> int:
        return int(self._redis.ask("ZCARD", f"{{{STREAM}}}:{GROUP}:alive"))

    def measure(self, label: str, messages: int, fill: Callable[[], None] | None, *, workers: int = 1) -> Line:
        """The time from a full stream until so many have left it. Without `fill`, the stream is full already."""
        redis = self._redis
        if fill is None:
            before = redis.ask("XLEN", STREAM)
            mb = self._megabytes()
            with self.workers(workers):
                return self._measured(label, messages, before, mb)
        with self.workers(workers):
            kept = redis.ask("XLEN", STREAM)
            fill()
            return self._measured(label, messages, kept + messages, self._megabytes())

    def _measured(self, label: str, messages: int, full: int, megabytes: float) -> Line:
        redis = self._redis
        while redis.ask("XLEN", STREAM) > full - messages // 20:
            time.sleep(0.001)
        redis.ask("SLOWLOG", "RESET")
        from_, cpu, start = redis.ask("XLEN", STREAM), redis.cpu(), time.monotonic()
        while redis.ask("XLEN", STREAM) > full - messages:
            time.sleep(0.002)
        took, cpu = time.monotonic() - start, redis.cpu() - cpu
        done = from_ - redis.ask("XLEN", STREAM)
        longest = max((entry[2] for entry in redis.ask("SLOWLOG", "GET", 128)), default=0) / 1000
        print(f"{label}: {done / took:,.0f}/s", flush=True)
        return Line(label, done / took, cpu / done * 1e6, longest, megabytes)

    def _megabytes(self) -> float:
        lines = self._redis.ask("INFO", "memory").decode().split("\r\n")
        return int(next(line for line in lines if line.startswith("used_memory:")).split(":")[1]) / 1e6

    def lines(self) -> Iterator[Line]:
        """All measurements."""
        redis, bench = self._redis, self._bench
        for count in (1, 2, 4, 8):
            bench.redis.reset()
            yield self.measure(
                f"{count} worker{'s' * (count > 1)}", MESSAGES, lambda: self.fill(MESSAGES), workers=count
            )
        for size, name, messages in ((1 << 10, "1 KB", MESSAGES), (1 << 16, "64 KB", 10_000), (1 << 20, "1 MB", 500)):
            bench.redis.reset()
            yield self.measure(f"bodies of {name}", messages, lambda n=messages, s=size: self.fill(n, s))  # type: ignore[misc]
        bench.redis.reset()
        self.fill(LONG)
        yield self.measure(f"a stream of {LONG:,}", MESSAGES, None)
        bench.redis.reset()
        self.fill(PARKED)
        for _ in range(0, PARKED, 1000):
            redis.ask("EVAL", PARK, 2, STREAM, f"{{{STREAM}}}:{GROUP}:parked", GROUP, 1000)
        yield self.measure(f"{PARKED:,} parked", MESSAGES, lambda: self.fill(MESSAGES))
        bench.redis.reset()
        redis.ask("EVAL", JOIN, 2, STREAM, f"{{{STREAM}}}:{GROUP}:alive", GROUP, CONSUMERS)
        yield self.measure(f"{CONSUMERS:,} consumers", MESSAGES, lambda: self.fill(MESSAGES))


def _cells(line: Line, base: Line) -> str:
    rate, ratio = f"{line.per_second:>9,.0f}/s", f"{line.per_second / base.per_second:>6.2f}"
    return f"{rate} {ratio} {line.redis_us:>9.1f} us {line.longest_ms:>7.1f} ms {line.redis_mb:>8,.0f} MB"


def main() -> None:
    """Measure, print, and keep the results."""
    with tempfile.TemporaryDirectory() as folder, Embedded() as server:
        pin(server.pid, 0)
        lines = list(Growth(Bench(Path(folder), server)).lines())
        about = Redis(server.port).name()
    base = lines[0]
    RESULTS.parent.mkdir(exist_ok=True)
    rounded = [{k: round(v, 2) if isinstance(v, float) else v for k, v in asdict(line).items()} for line in lines]
    RESULTS.write_text(
        json.dumps(
            {"server": about, "messages": MESSAGES, "lines": rounded, "redis_core_ends_at": round(1e6 / base.redis_us)},
            indent=1,
        )
        + "\n"
    )
    rows = [(line.label, _cells(line, base)) for line in lines]
    rows.append(("one core of Redis ends at about", f"{1e6 / base.redis_us:,.0f}/s"))
    figures = {line.label.replace(" ", "_").replace(",", ""): line.per_second / base.per_second for line in lines[1:]}
    report(rows, {name: round(ratio, 3) for name, ratio in figures.items()})


if __name__ == "__main__":
    main()
