"""Starts, scales, restarts and stops everything that `penstock dev` runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterator
from typing import Any

from penstock.wire.credentials import Credentials
from penstock.wire.url import read_url
from penstock_dev.running.deployment import Deployment
from penstock_dev.running.file_watcher import Changes, FileWatcher
from penstock_dev.running.launching import JANITOR, DevOptions, Launcher
from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.running.polling import Poller
from penstock_dev.running.replica_set import ReplicaSet
from penstock_dev.running.scaling import Scaling
from penstock_dev.running.server import RedisServer
from penstock_dev.running.spec_loader import LoadedSpecs, SpecLoader
from penstock_dev.running.workload import Workload
from penstock_dev.snapshot import Level, RedisSnapshot, Snapshot
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.display import many

WATCH_INTERVAL = 0.7
"""Seconds between two checks of the files."""
DRAIN_TIMEOUT = 10.0
"""Seconds that workers get to finish at the end."""


class Supervisor:
    """Runs the specs of one repository."""

    def __init__(self, options: DevOptions, specs: SpecLoader, server: RedisServer, log: LogBuffer) -> None:
        """Nothing runs yet."""
        self.options = options
        self.server = server
        self.log = log
        self.deployments: dict[str, Deployment] = {}
        self.started = asyncio.Event()
        """Set once all deployments exist."""
        self._specs = specs
        self._url = server.url
        self._launcher = Launcher(options, lambda: self._url)
        self._poller = Poller(self.deployments, log, options.speed)
        self._janitor = ReplicaSet(JANITOR, self._launcher.of_janitor, log, grace=DRAIN_TIMEOUT)
        self._replica_sets: dict[ReplicaSet, asyncio.Task[None]] = {}
        self._stopping: set[asyncio.Task[int]] = set()
        self._repository_error = ""

    # State

    def snapshot(self) -> Snapshot:
        """The current state of everything."""
        poller = self._poller
        where = self._url.rpartition("@")[2].partition("://")[2] or self._url.rpartition("@")[2]
        return Snapshot(
            RedisSnapshot(where, poller.reachable, time.monotonic() - poller.since, self.server.owned),
            self.options.speed,
            tuple(deployment.snapshot() for deployment in self.deployments.values()),
            self.log.lines,
            tuple(text for text in (self._repository_error, self._janitor.start_error) if text),
        )

    @property
    def idle(self) -> bool:
        """Whether nothing is pending."""
        return self._poller.idle

    @property
    def unreachable_for(self) -> float:
        """Seconds since Redis became unreachable."""
        return 0.0 if self._poller.reachable else time.monotonic() - self._poller.since

    @property
    def stuck(self) -> bool:
        """Whether a spec's processes cannot start."""
        return any(replica_set.start_error for replica_set in self._replica_sets)

    @property
    def has_problems(self) -> bool:
        """Whether anything does not run as its spec says."""
        snapshot = self.snapshot()
        return bool(snapshot.problems) or any(one.problems for one in snapshot.specs)

    # Start and stop

    async def run(self, first: LoadedSpecs, stop: asyncio.Event) -> None:
        """Run until `stop` is set, then stop everything."""
        tasks: list[asyncio.Task[object]] = [asyncio.create_task(stop.wait())]
        try:
            await self._apply(first)
            self._start_replicas(self._janitor)
            self.started.set()
            tasks += [asyncio.create_task(work) for work in self._background_tasks()]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()  # all but the first end only with an error
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._stop_all()
            for deployment in self.deployments.values():
                await deployment.link.close()

    def kill_all(self) -> None:
        """Kill all processes."""
        for replica_set in self._replica_sets:
            replica_set.kill_all()

    def _background_tasks(self) -> Iterator[Coroutine[Any, Any, None]]:
        """Tasks that run forever."""
        yield self.server.keep()
        yield self._follow_redis()
        yield self._watch_files()
        yield self._poller.measure()
        yield self._poller.scale(self._janitor_port)
        if self.options.scrapes:
            yield self._poller.latencies()

    async def _stop_all(self) -> None:
        """Stop workers first: their shutdown needs Redis and the janitor."""
        workers = [replica_set for replica_set in self._replica_sets if replica_set is not self._janitor]
        killed = sum(await asyncio.gather(*(replica_set.stop(DRAIN_TIMEOUT) for replica_set in workers)))
        if killed:
            text = f"killed {many(killed, 'pod')} after {DRAIN_TIMEOUT:g} s; the next run takes over their work"
            self.log.write(text, level=Level.WARNING)
        await self._janitor.stop(DRAIN_TIMEOUT)
        await asyncio.gather(*self._replica_sets.values(), *self._stopping, return_exceptions=True)

    def _start_replicas(self, replica_set: ReplicaSet) -> None:
        self._replica_sets[replica_set] = asyncio.create_task(replica_set.run())

    def _janitor_port(self) -> int | None:
        return next((one.port for one in self._janitor.active), None)

    # Deployments

    async def _apply(self, loaded: LoadedSpecs) -> None:
        """Run exactly these specs."""
        model, credentials = read_url(self._url, self.options.environ)
        self._repository_error = self._log_change(self._repository_error, loaded.errors.get("", ""), "")
        changed = False
        for one in loaded.workloads:
            workload = one.on(model)
            changed |= await self._run(workload, loaded.errors.get(workload.name, ""), credentials)
        for name in set(self.deployments) - {one.name for one in loaded.workloads}:
            changed = True
            await self._remove(name)
        needs_janitor = any(one.workload.needs_janitor for one in self.deployments.values())
        self._janitor.scale_to(1 if needs_janitor else 0)
        if changed:
            self._janitor.restart()

    async def _run(self, workload: Workload, error: str, credentials: Credentials) -> bool:
        """Create or update a deployment; returns whether its processes restart."""
        deployment = self.deployments.get(workload.name)
        if deployment is None:
            self._create(workload, credentials)
            return True
        deployment.spec_error = self._log_change(deployment.spec_error, error, workload.name)
        if error:
            return False
        _, digest = workload.process_files()
        settings = workload.settings()
        deployment.scaling.change(settings, self._poller.now())
        deployment.workload, deployment.replica_set.grace = workload, workload.grace
        if settings is None:
            deployment.replica_set.scale_to(workload.replica_bounds[0])
        if digest == deployment.digest:
            return False
        deployment.digest = self._launcher.write(workload)
        await self._reconnect(deployment, credentials)
        self.log.write("spec changed; restarting workers", spec=workload.name)
        deployment.replica_set.restart()
        return True

    def _create(self, workload: Workload, credentials: Credentials) -> None:
        name, digest = workload.name, self._launcher.write(workload)
        scaling = Scaling(workload.settings(), self._poller.now())
        replica_set = ReplicaSet(
            name, lambda number: self._launcher.of(deployment.workload, number), self.log, grace=workload.grace
        )
        deployment = Deployment(workload, replica_set, scaling, workload.link(credentials), digest)
        self.deployments[name] = deployment
        self._start_replicas(replica_set)
        replica_set.scale_to(workload.replica_bounds[0])

    async def _reconnect(self, deployment: Deployment, credentials: Credentials) -> None:
        await deployment.link.close()
        deployment.link = deployment.workload.link(credentials)

    async def _remove(self, name: str) -> None:
        """Stop a deployment whose spec was deleted."""
        deployment = self.deployments.pop(name)
        self.log.write("spec removed; stopping workers", spec=name)
        self._stopping.add(asyncio.create_task(deployment.replica_set.stop(deployment.replica_set.grace)))
        self._launcher.forget(deployment.workload)
        await deployment.link.close()

    # Changes while running

    async def _follow_redis(self) -> None:
        """Restart everything when Redis comes back at another port, because its own was taken."""
        while True:
            await asyncio.sleep(WATCH_INTERVAL)
            if self.server.url == self._url:
                continue
            self._url = self.server.url
            self.log.write(
                f"Redis moved to {self._url.rpartition('@')[2]}; restarting all processes", level=Level.WARNING
            )
            model, credentials = read_url(self._url, self.options.environ)
            for deployment in self.deployments.values():
                deployment.workload = deployment.workload.on(model)
                await self._reconnect(deployment, credentials)
            for replica_set in self._replica_sets:
                replica_set.restart()

    async def _watch_files(self) -> None:
        files = await asyncio.to_thread(FileWatcher, self.options.watched)
        while True:
            await asyncio.sleep(WATCH_INTERVAL)
            changed = await asyncio.to_thread(files.changed)
            if Changes.CODE in changed:
                self.log.write("code changed; restarting workers")
                for deployment in self.deployments.values():
                    deployment.replica_set.restart()
            if changed:
                await self._reload()

    async def _reload(self) -> None:
        try:
            loaded = await asyncio.to_thread(self._specs.read)
            await self._apply(loaded)
        except CannotGoOn as error:
            text = f"{error.says}; {error.hint}" if error.hint else error.says
            self._repository_error = self._log_change(self._repository_error, text, "")

    def _log_change(self, before: str, now: str, spec: str) -> str:
        """Log an error once when it appears or changes, and once when it is gone; returns the current one."""
        if now and now != before:
            self.log.write(now, level=Level.ERROR, spec=spec)
        elif before and not now:
            self.log.write("valid again", spec=spec)
        return now
