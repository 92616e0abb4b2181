"""Makes docs/benchmarks.md and its picture from the results that `make bench-peers` and `make bench-growth` keep.

Every number of the page comes from benchmarks/results, also the list of what is better elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from penstock_spec.reference.table import table

PAGE, PICTURE = "docs/benchmarks.md", "docs/pictures/drain.svg"
OURS = "penstock"

Results = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of a peer."""

    name: str
    head: str
    phrase: str
    """For the list of what is better elsewhere."""
    digits: int
    more_is_better: bool

    def of(self, peer: Results) -> float:
        """The figure of one peer."""
        return float(peer["figures"][self.name])

    def text(self, value: float) -> str:
        """As the page shows it."""
        return f"{value:,.{self.digits}f}"


COLUMNS = (
    Column("drain", "drained/s", "messages drained a second", 0, more_is_better=True),
    Column("settled", "settled/s", "messages settled a second", 0, more_is_better=True),
    Column("sequential", "sent/s, one by one", "messages sent a second, one by one", 0, more_is_better=True),
    Column("bulk", "sent/s, in bulk", "messages sent a second, in bulk", 0, more_is_better=True),
    Column("p50", "idle p50, ms", "median latency of an idle worker, ms", 2, more_is_better=False),
    Column("p99", "idle p99, ms", "99th percentile of it, ms", 2, more_is_better=False),
    Column("worker_us", "worker CPU, us", "CPU of the worker for a message, us", 1, more_is_better=False),
    Column("redis_us", "Redis CPU, us", "CPU of Redis for a message, us", 1, more_is_better=False),
    Column("commands", "commands", "Redis commands for a message", 2, more_is_better=False),
    Column("memory", "memory, MB", "memory of the worker, MB", 0, more_is_better=False),
)
SPEEDS, COSTS = COLUMNS[:6], COLUMNS[6:]

OPENING = """\
# Benchmarks

Penstock beside other queues, on one machine. `make bench-peers` installs each of them in an environment
of its own, measures all of them, and keeps the results in `benchmarks/results`; this page is generated from those.
Seconds depend on the machine, so compare within a table, and repeat it on yours.
"""
METHOD = """\
## Method

- {date}, {redis} without persistence, Python {python} on {system}, {cores} cores. Redis has one core; producer and
  worker have the other. So these are figures of one core: asynq would use all cores in one process, and Celery and
  dramatiq start a process for each core by default.
- One worker process, {concurrency} messages at the same time (dramatiq has its 8 threads, Celery runs one), a handler
  that does nothing, and a JSON body of two fields. Penstock checks it against a schema and keeps all its
  [promises](explanation/states.md).
- {messages:,} messages are sent before the worker starts: the first {sequential:,} one after the other, the rest in
  bulk: by the queue's bulk send or, without one, by 50 sends at a time; dramatiq's and Celery's clients send one at a
  time. The worker itself takes the time from its first to its last handler call. *Settled* also waits until nothing
  is left unacknowledged.
- Latency is from before the send to the handler, for {probes:,} messages at {rate} a second on an idle worker. arq,
  docket and asynq poll; the drains of arq and docket run with a shorter interval than the default, all latencies with
  the default.
- CPU and commands are those of the drain; those of Redis include the start of the worker. Redis counts the commands
  that scripts call as well. Commands that this benchmark itself sends, such as `XLEN`, are left out for all. Memory
  is that of the process that runs the handlers.
- Speed and cost: medians of {rounds} rounds, which alternate between the queues. Each kill and each case of growth
  ran once; three kills ran side by side.

The bare loop is what a team writes by hand: it reads a hundred entries, runs them, acknowledges and deletes them in
one pipeline. It has no leases, retries, dead letters, schema or metrics, and loses what a killed worker had read. It
does not read while it runs, and parses with Python's `json`: a loop that does better would be faster than this one.
"""
KILLS = """\
## A worker killed with SIGKILL

{messages} messages that take {seconds} s on average; the worker is killed while it runs some of them, and another
starts at once. Ten other messages a second arrive meanwhile. The handlers write a ledger of their own. *First* and
*last* are the times until the first and the last of the messages that had run were begun again; *unfinished* are
those that no worker had finished {limit:.0f} s after the kill; *twice* are those that were finished twice. The second
line of a queue has its lease set to {lease} s, if its users can choose it. Several defaults are longer than this test
waits: arq and docket 5 min, taskiq-redis 10 min, Celery 1 h. Their first lines say only that. FastStream's default
takes nothing over. SAQ looks for lost messages at most once a minute. Penstock runs each of these messages in a
process of its own, eight at a time at first, because one of them may be what killed the worker.
"""
GROWTH = """\
## How a pipeline grows

`make bench-growth`, one line for each case. Redis has one core, and all workers share the other: so the first lines
show what more workers cost, not what they gain. The longest command is that of Redis's slow log, which begins at 0.5
ms and leaves out sending the answer. Redis spent {redis_us:.1f} us on a message of the first line, of which one core
has room for about {core:,} a second; sending them costs more on top. The figures differ from those above because
server, messages and rounds do: {server}, {messages:,} messages, one round.
"""


def pages(root: Path) -> dict[str, str]:
    """The page and its picture by path; none before the first whole run has kept its results."""
    folder = root / "benchmarks" / "results"
    if not all((folder / name).exists() for name in ("peers.json", "growth.json")):
        return {}
    peers = json.loads((folder / "peers.json").read_text())
    growth = json.loads((folder / "growth.json").read_text())
    return {PAGE: "\n".join(_parts(peers, growth)), PICTURE: _picture(_fastest_first(peers))}


def _fastest_first(results: Results) -> list[tuple[str, Results]]:
    measured = [(name, peer) for name, peer in results["peers"].items() if peer.get("figures")]
    return sorted(measured, key=lambda item: -float(item[1]["figures"]["drain"]))


def _parts(results: Results, growth: Results) -> Iterator[str]:
    rows = _fastest_first(results)
    yield OPENING
    yield "![Messages that one worker drains in a second](pictures/drain.svg)\n"
    yield "## Speed\n"
    yield _columns(rows, SPEEDS)
    yield "## Cost of a message\n"
    yield _columns(rows, COSTS)
    yield KILLS.format(**results["kills"])
    yield table(
        ("queue", "lease", "ran at the kill", "first", "last", "unfinished", "twice"), _kill_rows(results["peers"])
    )
    yield "## Where Penstock is worse\n"
    yield "".join(f"- {line}\n" for line in _better_elsewhere(rows, results["peers"])) or "Nowhere in these tables.\n"
    yield GROWTH.format(
        core=growth["redis_core_ends_at"],
        redis_us=growth["lines"][0]["redis_us"],
        server=growth["server"],
        messages=growth["messages"],
    )
    yield _growth_table(growth["lines"])
    yield METHOD.format(**results["speeds"], concurrency=results["concurrency"])
    yield "## Versions and settings\n"
    yield table(("queue", "version", "settings"), ((name, one["version"], one["settings"]) for name, one in rows))


def _columns(rows: list[tuple[str, Results]], columns: tuple[Column, ...]) -> str:
    cells = ((name, *(column.text(column.of(peer)) for column in columns)) for name, peer in rows)
    return table(("queue", *(column.head for column in columns)), cells)


def _kill_rows(peers: Results) -> Iterator[tuple[str, ...]]:
    for name, peer in peers.items():
        for setting, after in peer.get("kills", {}).items():
            lease = "default" if setting == "default" else f"`{peer['lease']}`"
            took = (
                "later or never" if after[what] is None else f"{after[what]:.0f} s" for what in ("first", "taken_over")
            )
            yield (name, lease, str(after["running"]), *took, str(after["unfinished"]), str(after["twice"]))


def _seconds(after: float | None) -> str:
    return "later or never" if after is None else f"{after:.0f} s"


def _better_elsewhere(rows: list[tuple[str, Results]], peers: Results) -> Iterator[str]:
    figures = dict(rows)
    for column in COLUMNS:
        ours = column.of(figures[OURS])
        sign = 1 if column.more_is_better else -1
        better = [(name, column.of(peer)) for name, peer in rows if not peer["variant"]]
        better = [(name, value) for name, value in better if sign * (value - ours) > 0 and name != OURS]
        better = [(name, value) for name, value in better if column.text(value) != column.text(ours)]
        if better:
            others = ", ".join(f"{name} {column.text(value)}" for name, value in better)
            yield f"{column.phrase[0].upper()}{column.phrase[1:]}: {column.text(ours)}; better: {others}."
    yield from _worse_kills(peers, "taken_over", "Seconds until a killed worker's messages are taken over")
    yield from _worse_kills(peers, "twice", "Messages finished twice after a kill")


def _worse_kills(peers: Results, what: str, phrase: str) -> Iterator[str]:
    """Only peers that finished everything are compared."""
    finished: Callable[[Results], bool] = lambda after: after["taken_over"] is not None and not after["unfinished"]  # noqa: E731 - used twice
    for setting, label in (("default", "at the defaults"), ("lease", "with the short lease")):
        ours = peers[OURS]["kills"][setting]
        afters = {name: peer["kills"][setting] for name, peer in peers.items() if setting in peer.get("kills", {})}
        better = [(name, one[what]) for name, one in afters.items() if finished(one) and one[what] < ours[what]]
        if finished(ours) and better:
            yield f"{phrase}, {label}: {ours[what]:.0f}; better: {', '.join(f'{n} {v:.0f}' for n, v in better)}."


def _growth_table(lines: list[Results]) -> str:
    base = lines[0]["per_second"]
    head = ("case", "drained/s", "relative to one", "Redis CPU, us", "longest command, ms", "Redis memory, MB")
    rows = (
        (
            line["label"],
            f"{line['per_second']:,.0f}",
            f"{line['per_second'] / base:.2f}",
            f"{line['redis_us']:,.1f}",
            f"{line['longest_ms']:.1f}" if line["longest_ms"] else "< 0.5",
            f"{line['redis_mb']:,.0f}",
        )
        for line in lines
    )
    return table(head, rows)


WIDTH, LEFT, LINE = 860, 190, 24
LABEL = "Messages that one worker drains in a second"
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #24292f }
.name { text-anchor: end }
rect { fill: #8c959f; rx: 3px }
.ours { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #6e7681 } .ours { fill: #58a6ff } }
"""


def _picture(rows: list[tuple[str, Results]]) -> str:
    """A bar for each queue, as long as its drain."""
    most = max(float(peer["figures"]["drain"]) for _, peer in rows)
    height = LINE * len(rows) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{LABEL}">',
        f"<!-- Drawn by tools/benchmarks.py. -->\n<style>{STYLE}</style>",
    ]
    for i, (name, peer) in enumerate(rows):
        drain, y = float(peer["figures"]["drain"]), LINE * i + 5
        wide = max(2.0, (WIDTH - LEFT - 90) * drain / most)
        kind = ' class="ours"' if name.startswith(OURS) else ""
        parts.append(f'<text class="name" x="{LEFT - 8}" y="{y + 16}">{escape(name)}</text>')
        parts.append(f'<rect{kind} x="{LEFT}" y="{y + 2}" width="{wide:.0f}" height="{LINE - 6}"/>')
        parts.append(f'<text x="{LEFT + wide + 8:.0f}" y="{y + 16}">{drain:,.0f}</text>')
    return "\n".join([*parts, "</svg>\n"])
