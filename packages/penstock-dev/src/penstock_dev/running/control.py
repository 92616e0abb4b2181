"""The actions behind the screen's keys, on a running supervisor."""

from __future__ import annotations

from penstock.wire.url import read_url
from penstock_dev.running.deployment import Deployment
from penstock_dev.running.supervisor import Supervisor
from penstock_dev.snapshot import Level
from penstock_spec.findings import CannotGoOn


class SupervisorControl:
    """Implements `penstock_dev.control.Control`."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor

    async def send(self, spec: str, count: int) -> str:
        """Send sample messages; for a scheduler, run the next job."""
        deployment = self._deployment(spec)
        _, credentials = read_url(self.supervisor.server.url, self.supervisor.options.environ)
        return self._done(await deployment.workload.send(deployment.link, credentials, count), spec)

    async def kill(self, spec: str, worker: str | None) -> str:
        """Send SIGKILL to a worker."""
        deployment = self._deployment(spec)
        replica = deployment.replica_set.kill(worker, deployment.measured.held or {})
        return self._done(f"killed {replica.name} (pid {replica.child.pid})", spec)

    async def stop_redis(self) -> str:
        """Kill Redis."""
        await self.supervisor.server.stop()
        return self._done("stopped Redis")

    async def start_redis(self) -> str:
        """Restart Redis."""
        await self.supervisor.server.start()
        return self._done("started Redis with its saved data")

    async def pause(self, spec: str) -> str:
        """Pause scaling; for a scheduler, all jobs."""
        deployment = self._deployment(spec)
        done = await deployment.workload.set_paused(deployment.link, paused=True)
        if done is None:
            deployment.scaling.pause()
        return self._done(done or "paused scaling", spec)

    async def resume(self, spec: str) -> str:
        """Resume scaling; for a scheduler, all jobs."""
        deployment = self._deployment(spec)
        done = await deployment.workload.set_paused(deployment.link, paused=False)
        if done is None:
            deployment.scaling.resume()
        return self._done(done or "resumed scaling", spec)

    def _deployment(self, spec: str) -> Deployment:
        if spec not in self.supervisor.deployments:
            raise CannotGoOn(f"`{spec}` is not running")
        return self.supervisor.deployments[spec]

    def _done(self, text: str, spec: str = "") -> str:
        self.supervisor.log.write(text, level=Level.INFO, spec=spec)
        return text
