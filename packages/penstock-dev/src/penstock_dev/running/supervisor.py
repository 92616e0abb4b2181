"""All that runs, from the first process to the last: started, scaled, renewed, shown, and taken away again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterator
from typing import Any

from penstock.operating.spans import many
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

WATCH = 0.7
"""Seconds between two looks at the files."""
PATIENCE = 10.0
"""Seconds that workers have to finish what they run when all ends."""


class Supervisor:
    """Of one repository."""

    def __init__(self, options: DevOptions, specs: SpecLoader, server: RedisServer, log: LogBuffer) -> None:
        """Nothing runs yet."""
        self.options = options
        self.server = server
        self.log = log
        self.deployments: dict[str, Deployment] = {}
        self.started = asyncio.Event()
        """Set when everything that the specs ask for is there."""
        self._specs = specs
        self._url = server.url
        self._launcher = Launcher(options, lambda: self._url)
        self._poller = Poller(self.deployments, log, options.speed)
        self._janitor = ReplicaSet(JANITOR, self._launcher.of_janitor, log, grace=PATIENCE)
        self._replica_sets: dict[ReplicaSet, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[int]] = set()
        self._trouble = ""

    # what is shown

    def snapshot(self) -> Snapshot:
        """Everything, as it is known now."""
        poller = self._poller
        where = self._url.rpartition("@")[2].partition("://")[2] or self._url.rpartition("@")[2]
        return Snapshot(
            RedisSnapshot(where, poller.answers, time.monotonic() - poller.since, self.server.ours),
            self.options.speed,
            tuple(deployment.snapshot() for deployment in self.deployments.values()),
            self.log.lines,
            tuple(text for text in (self._trouble, self._janitor.trouble) if text),
        )

    @property
    def idle(self) -> bool:
        """Whether nothing is left to do."""
        return self._poller.idle

    @property
    def silent(self) -> float:
        """Seconds for which Redis has not answered."""
        return 0.0 if self._poller.answers else time.monotonic() - self._poller.since

    @property
    def stuck(self) -> bool:
        """Whether there is a spec of which no process can start."""
        return any(replica_set.trouble for replica_set in self._replica_sets)

    @property
    def troubled(self) -> bool:
        """Whether something does not run as its spec says."""
        snapshot = self.snapshot()
        return bool(snapshot.trouble) or any(one.trouble for one in snapshot.specs)

    # from the first process to the last

    async def run(self, first: LoadedSpecs, stop: asyncio.Event) -> None:
        """Until told to stop; then nothing is left of it."""
        tasks: list[asyncio.Task[object]] = [asyncio.create_task(stop.wait())]
        try:
            await self._apply(first)
            self._man(self._janitor)
            self.started.set()
            tasks += [asyncio.create_task(work) for work in self._works()]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()  # but for the first, none of them ends without an error
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._end()
            for deployment in self.deployments.values():
                await deployment.link.close()

    def kill_all(self) -> None:
        """Nobody wants to wait."""
        for replica_set in self._replica_sets:
            replica_set.end()

    def _works(self) -> Iterator[Coroutine[Any, Any, None]]:
        """What goes on beside the processes, without end."""
        yield self.server.keep()
        yield self._follow()
        yield self._watch()
        yield self._poller.numbers()
        yield self._poller.scale(self._janitor_port)
        if self.options.scrapes:
            yield self._poller.latencies()

    async def _end(self) -> None:
        """Workers first, as they need the rest to leave well."""
        workers = [replica_set for replica_set in self._replica_sets if replica_set is not self._janitor]
        cut = sum(await asyncio.gather(*(replica_set.leave(PATIENCE) for replica_set in workers)))
        if cut:
            text = f"{many(cut, 'worker')} did not finish in {PATIENCE:g} s; what they ran is taken over next time"
            self.log.write(text, level=Level.WARNING)
        await self._janitor.leave(PATIENCE)
        await asyncio.gather(*self._replica_sets.values(), *self._leaving, return_exceptions=True)

    def _man(self, replica_set: ReplicaSet) -> None:
        self._replica_sets[replica_set] = asyncio.create_task(replica_set.run())

    def _janitor_port(self) -> int | None:
        return next((one.port for one in self._janitor.here), None)

    # what runs

    async def _apply(self, good: LoadedSpecs) -> None:
        """Run these specs, and no others."""
        model, credentials = read_url(self._url, self.options.environ)
        self._trouble = self._told(self._trouble, good.troubles.get("", ""), "")
        changed = False
        for one in good.workloads:
            workload = one.on(model)
            changed |= await self._run(workload, good.troubles.get(workload.name, ""), credentials)
        for name in set(self.deployments) - {one.name for one in good.workloads}:
            changed = True
            await self._drop(name)
        needs_janitor = any(one.workload.needs_janitor for one in self.deployments.values())
        self._janitor.want(1 if needs_janitor else 0)  # without a pipeline it has nothing to look after
        if changed:
            self._janitor.renew()

    async def _run(self, workload: Workload, trouble: str, credentials: Credentials) -> bool:
        """Run a spec as it is now; gives whether its processes are other ones."""
        deployment = self.deployments.get(workload.name)
        if deployment is None:
            self._begin(workload, credentials)
            return True
        deployment.trouble = self._told(deployment.trouble, trouble, workload.name)
        if trouble:
            return False
        _, digest = workload.written()
        settings = workload.settings()
        deployment.scaling.change(settings, self._poller.now())
        deployment.workload, deployment.replica_set.grace = workload, workload.grace
        if settings is None:
            deployment.replica_set.want(workload.replica_bounds[0])
        if digest == deployment.digest:
            return False
        deployment.digest = self._launcher.write(workload)
        await self._connect(deployment, credentials)
        self.log.write("its spec has changed; workers are renewed", spec=workload.name)
        deployment.replica_set.renew()
        return True

    def _begin(self, workload: Workload, credentials: Credentials) -> None:
        name, digest = workload.name, self._launcher.write(workload)
        scaling = Scaling(workload.settings(), self._poller.now())
        replica_set = ReplicaSet(
            name, lambda number: self._launcher.of(deployment.workload, number), self.log, grace=workload.grace
        )
        deployment = Deployment(workload, replica_set, scaling, workload.link(credentials), digest)
        self.deployments[name] = deployment
        self._man(replica_set)
        replica_set.want(workload.replica_bounds[0])

    async def _connect(self, deployment: Deployment, credentials: Credentials) -> None:
        """Anew, as what it is connected to is another."""
        await deployment.link.close()
        deployment.link = deployment.workload.link(credentials)

    async def _drop(self, name: str) -> None:
        """Its spec is gone."""
        deployment = self.deployments.pop(name)
        self.log.write("its spec is gone; workers leave", spec=name)
        self._leaving.add(asyncio.create_task(deployment.replica_set.leave(deployment.replica_set.grace)))
        self._launcher.forget(deployment.workload)
        await deployment.link.close()

    # what changes meanwhile

    async def _follow(self) -> None:
        """Where somebody took Redis's port while it was away, all have to be told where it is now."""
        while True:
            await asyncio.sleep(WATCH)
            if self.server.url == self._url:
                continue
            self._url = self.server.url
            self.log.write(f"Redis is at {self._url.rpartition('@')[2]} now; all are renewed", level=Level.WARNING)
            model, credentials = read_url(self._url, self.options.environ)
            for deployment in self.deployments.values():
                deployment.workload = deployment.workload.on(model)
                await self._connect(deployment, credentials)
            for replica_set in self._replica_sets:
                replica_set.renew()

    async def _watch(self) -> None:
        files = await asyncio.to_thread(FileWatcher, self.options.watched)
        while True:
            await asyncio.sleep(WATCH)
            changed = await asyncio.to_thread(files.changed)
            if Changes.CODE in changed:
                self.log.write("code has changed; workers are renewed")
                for deployment in self.deployments.values():
                    deployment.replica_set.renew()
            if changed:
                await self._read_again()

    async def _read_again(self) -> None:
        try:
            good = await asyncio.to_thread(self._specs.read)
            await self._apply(good)
        except CannotGoOn as error:
            text = f"{error.says}; {error.hint}" if error.hint else error.says
            self._trouble = self._told(self._trouble, text, "")

    def _told(self, before: str, now: str, spec: str) -> str:
        """Once, when it begins, changes, and is over."""
        if now and now != before:
            self.log.write(now, level=Level.ERROR, spec=spec)
        elif before and not now:
            self.log.write("it is valid again", spec=spec)
        return now
