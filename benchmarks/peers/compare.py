"""Compares Penstock with other queues on one machine: how fast they are, what they cost, what a kill does to them.

Redis has one core, producer and worker have the other. Rounds alternate between the peers, medians count. A whole run
writes benchmarks/results/peers.json, from which `make generate` makes docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from catalogue import LEASE, PEERS, Peer
from environments import make, missing_tool
from kills import LIMIT, MESSAGES, SECONDS, Aftermath, kill
from measuring import PROBES, RATE, SEQUENTIAL, Figures, measure
from running import CONCURRENCY, PeerError, redis_server
from server import Redis, pin

RESULTS = Path(__file__).parents[1] / "results" / "peers.json"
KILLS_AT_ONCE = 3
"""Workers in the kill test mostly wait, so a few run side by side, each with a Redis of its own."""

COLUMNS = {
    "drain": "drain/s", "settled": "settled/s", "sequential": "send/s", "bulk": "bulk/s", "worker_us": "CPU us",
    "redis_us": "Redis us", "commands": "commands", "memory": "MB", "p50": "p50 ms", "p99": "p99 ms",
}  # fmt: skip


def speeds(peers: Mapping[str, Peer], messages: int, rounds: int) -> tuple[dict[str, list[Figures]], dict[str, str]]:
    """All rounds of each peer, and why peers failed. The server's facts are those of the last one."""
    measured: dict[str, list[Figures]] = {name: [] for name in peers}
    failed: dict[str, str] = {}
    with redis_server() as server:
        pin(server.pid, 0)
        for round_ in range(rounds):
            for name, peer in peers.items():
                if name in failed:
                    continue
                try:
                    figures = measure(peer, server, messages)
                except PeerError as error:
                    failed[name] = str(error)
                    print(f"{name} failed: {error}", file=sys.stderr)
                    continue
                measured[name].append(figures)
                load = os.getloadavg()[0]
                done = f"{round_ + 1}/{rounds} {name:24} drain {figures.drain:>9,.0f}/s"
                print(f"{done}  load {load:.1f}", file=sys.stderr)
    return measured, failed


def kills(peers: Mapping[str, Peer]) -> dict[tuple[str, str], Aftermath]:
    """The kill test of each peer: as it comes, and with a short lease where its users can choose one."""
    cases = [(name, "default") for name in peers] + [(name, "lease") for name in peers if peers[name].lease]

    def one(case: tuple[str, str]) -> Aftermath:
        name, setting = case
        with redis_server() as server:
            aftermath = kill(peers[name], server, lease=setting == "lease")
        print(f"kill {name} ({setting}): {aftermath}", file=sys.stderr)
        return aftermath

    with ThreadPoolExecutor(KILLS_AT_ONCE) as pool:
        return dict(zip(cases, pool.map(one, cases), strict=True))


def medians(rounds: Sequence[Figures]) -> dict[str, float]:
    """The median of each figure."""
    names = [field.name for field in fields(Figures)]
    return {name: round(statistics.median(getattr(one, name) for one in rounds), 3) for name in names}


def machine() -> dict[str, Any]:
    """What was measured with what."""
    with redis_server() as server:
        name = Redis(server.port).name()
    return {"date": datetime.now(UTC).date().isoformat(), "cores": os.cpu_count(), "redis": name,
            "python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}  # fmt: skip


def rows(results: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The table of speeds, fastest first."""
    yield ("peer", "version", *COLUMNS.values())
    measured = [(name, one) for name, one in results["peers"].items() if one.get("figures")]
    for name, one in sorted(measured, key=lambda item: -item[1]["figures"]["drain"]):
        numbers = (one["figures"][column] for column in COLUMNS)
        yield (name, one["version"], *(f"{n:,.0f}" if n >= 100 else f"{n:.2f}" for n in numbers))  # noqa: PLR2004 - digits


def ratios(peers: Mapping[str, Any]) -> dict[str, float]:
    """Penstock's figures over those that they are compared with; 0 if a peer was left out."""

    def figure(name: str, what: str) -> float:
        return float(peers.get(name, {}).get("figures", {}).get(what, 0))

    def ratio(what: str, *names: str) -> float:
        others = max((figure(name, what) for name in names), default=0.0)
        return round(figure("penstock", what) / others, 3) if others else 0.0

    python = [name for name, peer in PEERS.items() if peer.takes_over and peer.environment not in ("", "node", "asynq")]
    python = [name for name in python if not PEERS[name].variant]
    return {
        "drain_ratio": ratio("drain", "bare loop, tasks"),
        "drain_to_python": ratio("drain", *python),
        "drain_to_bullmq": ratio("drain", "BullMQ (Node)"),
        "drain_to_asynq": ratio("drain", "asynq (Go)"),
        "bulk_ratio": ratio("bulk", "bare loop, tasks"),
        "sequential_ratio": ratio("sequential", "bare loop, tasks"),
        "redis_us": figure("penstock", "redis_us"),
        "p99_ms": figure("penstock", "p99"),
    }


def main() -> None:
    """Measure, print, and keep the results of a whole run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="names of peers, separated by semicolons; the results are not kept")
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--part", choices=("speeds", "kills"), help="the other part stays as it was measured before")
    options = parser.parse_args()
    chosen = {name: PEERS[name] for name in options.only.split(";")} if options.only else PEERS
    missing = {name: missing_tool(peer.environment) for name, peer in chosen.items()}
    left_out = {name: tool for name, tool in missing.items() if tool}
    peers = {name: peer for name, peer in chosen.items() if name not in left_out}
    for environment in {peer.environment: None for peer in peers.values() if peer.environment}:
        make(environment)

    before = json.loads(RESULTS.read_text()) if RESULTS.exists() and not options.only else {}
    known = before.get("peers", {})
    kept = {name: known[name] for name in left_out if options.part and name in known}
    results: dict[str, Any] = {
        **before, "concurrency": CONCURRENCY, "left_out": {n: tool for n, tool in left_out.items() if n not in kept},
        "peers": {**{name: {**known.get(name, {}), **_about(peer)} for name, peer in peers.items()}, **kept},
    }  # fmt: skip
    failed: dict[str, str] = {}
    if options.part != "kills":
        measured, failed = speeds(peers, options.messages, options.rounds)
        results["speeds"] = {
            **machine(), "messages": options.messages, "rounds": options.rounds, "sequential": SEQUENTIAL,
            "probes": PROBES, "rate": RATE,
        }  # fmt: skip
        for name, rounds in measured.items():
            if name not in failed:
                results["peers"][name]["figures"] = medians(rounds)
    if options.part != "speeds":
        unkillable = {name: peer for name, peer in peers.items() if not peer.variant}
        for (name, setting), aftermath in kills(unkillable).items():
            results["peers"][name].setdefault("kills", {})[setting] = asdict(aftermath)
        results["kills"] = {**machine(), "messages": MESSAGES, "seconds": SECONDS, "limit": LIMIT, "lease": LEASE}
    if not options.only and not failed:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    _print(results, left_out, failed)


def _about(peer: Peer) -> dict[str, Any]:
    return {
        "version": peer.version, "settings": peer.settings, "lease": peer.lease,
        "takes_over": peer.takes_over, "variant": peer.variant,
    }  # fmt: skip


def _print(results: Mapping[str, Any], left_out: Mapping[str, str], failed: Mapping[str, str]) -> None:
    table = list(rows(results))
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join([row[0].ljust(widths[0]), *cells[1:]]))
    for name, tool in left_out.items():
        print(f"left out {name}: {tool} is not installed")
    print(json.dumps(ratios(results["peers"])))
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
