"""One run of the demo: traffic, a worker killed half-way, and the wait until all is done and scaled down."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from penstock.producer.producer import Producer
from penstock.wire.url import read_url
from penstock_dev.demo import ledger, traffic
from penstock_dev.demo.workspace import NAME
from penstock_dev.running.deployment import Deployment
from penstock_dev.running.pipeline import PipelineWorkload
from penstock_dev.running.supervisor import Supervisor
from penstock_dev.snapshot import LogLine
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.display import many

INTERVAL = 0.25
LIMIT = 110.0
"""Seconds after which unfinished messages count as lost."""
SCALED_DOWN_BY = 50.0
"""Seconds after which the demo no longer waits for workers to stop."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The state at one moment."""

    at: float
    """Seconds since the start."""
    sent: int
    done: int
    replicas: int
    """Ready processes."""
    wanted: int
    backlog: int


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The result of a run."""

    account: ledger.Accounting
    killed: ledger.KilledWorker | None
    killed_at: float
    moments: tuple[Moment, ...]
    seconds: float


class DemoRun:
    """Runs the demo on a running supervisor."""

    def __init__(
        self,
        supervisor: Supervisor,
        file: Path,
        show: Callable[[Moment], object],
        log: Callable[[float, str], object],
    ) -> None:
        """`file` is the ledger; `show` gets each state, `log` each event."""
        self._supervisor = supervisor
        self._file = file
        self._show = show
        self._log = log
        self._started_at = time.monotonic()
        self._sent: set[str] = set()
        self._moments: list[Moment] = []
        self._killed: ledger.KilledWorker | None = None
        self._number = 0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started_at

    async def run(self) -> DemoResult:
        """Run to the end. Raises CannotGoOn."""
        await self._supervisor.started.wait()
        sending = asyncio.create_task(self._send())
        try:
            while not self._finished(sending):
                if sending.done():
                    sending.result()
                await asyncio.sleep(INTERVAL)
                self._observe()
        finally:
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, CannotGoOn):
                await sending
        killed = self._killed
        dead = self._supervisor.deployments[NAME].measured.dead or 0
        accounting = ledger.account(self._sent, ledger.read(self._file), dead, killed)
        at = killed.at - self._started_at if killed else 0.0
        return DemoResult(accounting, killed, at, tuple(self._moments), self.seconds)

    async def _send(self) -> None:
        deployment = self._supervisor.deployments[NAME]
        _, credentials = read_url(self._supervisor.server.url, self._supervisor.options.environ)
        assert isinstance(deployment.workload, PipelineWorkload)  # noqa: S101 - the demo has only a pipeline
        async with Producer(deployment.workload.resolved, credentials=credentials) as producer:
            await traffic.send_all(producer, self._sent)
        self._log(self.seconds, f"all {traffic.TOTAL:,} messages sent")

    def _finished(self, sending: asyncio.Task[None]) -> bool:
        if self.seconds > LIMIT:
            return True
        if not (sending.done() and self._moments):
            return False
        last, deployment = self._moments[-1], self._supervisor.deployments[NAME]
        settled, scaled_down = last.done >= last.sent and deployment.measured.idle, not deployment.replica_set.replicas
        return settled and (scaled_down or self.seconds > SCALED_DOWN_BY)

    def _observe(self) -> None:
        deployment = self._supervisor.deployments[NAME]
        lines = ledger.read(self._file)
        done = len({line.message for line in lines if line.event == ledger.FINISHED})
        moment = Moment(
            self.seconds,
            len(self._sent),
            done,
            deployment.replica_set.ready,
            deployment.replica_set.wanted,
            max(0, len(self._sent) - done),
        )
        self._moments.append(moment)
        for line in self._supervisor.log.since(self._number):
            self._number = line.number
            if _is_decision(line):
                self._log(self.seconds, line.text)
        if self._killed is None and done >= traffic.TOTAL // 2:
            self._kill(deployment, lines)
        self._show(moment)

    def _kill(self, deployment: Deployment, lines: list[ledger.Line]) -> None:
        """Kill the busiest worker."""
        running: dict[int, int] = {}
        for line in lines:
            running[line.pid] = running.get(line.pid, 0) + (1 if line.event == ledger.STARTED else -1)
        busy = {one.name: running.get(one.child.pid, 0) for one in deployment.replica_set.replicas}
        if not any(busy.values()):
            return
        one = deployment.replica_set.kill(None, busy)
        self._killed = ledger.KilledWorker(one.name, one.child.pid, time.monotonic())
        text = f"killed {one.name.partition('~')[0]} with SIGKILL while it ran {many(busy[one.name], 'message')}"
        self._log(self.seconds, text)


def _is_decision(line: LogLine) -> bool:
    """Whether the autoscaler wrote it; the demo reports everything else itself."""
    return line.spec == NAME and not line.worker and line.text.startswith(("KEDA", "HPA"))
