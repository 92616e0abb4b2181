"""What keys and tests do to what runs."""

from __future__ import annotations

from penstock.wire.url import read_url
from penstock_dev.running.deployment import Deployment
from penstock_dev.running.supervisor import Supervisor
from penstock_dev.snapshot import Level
from penstock_spec.findings import CannotGoOn


class SupervisorControl:
    """Of all that a supervisor runs; see `penstock_dev.control`."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor

    async def send(self, spec: str, count: int) -> str:
        """Messages that fit the schema; of a scheduler, the next job."""
        deployment = self._deployment(spec)
        _, credentials = read_url(self.supervisor.server.url, self.supervisor.options.environ)
        return self._did(await deployment.workload.send(deployment.link, credentials, count), spec)

    async def kill(self, spec: str, worker: str | None) -> str:
        """SIGKILL."""
        deployment = self._deployment(spec)
        one = deployment.replica_set.kill(worker, deployment.numbers.held or {})
        return self._did(f"killed {one.name}, process {one.child.pid}", spec)

    async def stop_redis(self) -> str:
        """As if its machine were gone."""
        await self.supervisor.server.stop()
        return self._did("stopped Redis")

    async def start_redis(self) -> str:
        """Bring it back."""
        await self.supervisor.server.start()
        return self._did("started Redis, with what it had written down")

    async def pause(self, spec: str) -> str:
        """Scaling stands still; of a scheduler, all jobs."""
        deployment = self._deployment(spec)
        said = await deployment.workload.set_paused(deployment.link, held=True)
        if said is None:
            deployment.scaling.pause()
        return self._did(said or "paused scaling", spec)

    async def resume(self, spec: str) -> str:
        """It goes on."""
        deployment = self._deployment(spec)
        said = await deployment.workload.set_paused(deployment.link, held=False)
        if said is None:
            deployment.scaling.resume()
        return self._did(said or "resumed scaling", spec)

    def _deployment(self, spec: str) -> Deployment:
        if spec not in self.supervisor.deployments:
            raise CannotGoOn(f"`{spec}` does not run here any more")
        return self.supervisor.deployments[spec]

    def _did(self, text: str, spec: str = "") -> str:
        self.supervisor.log.write(text, level=Level.INFO, spec=spec)
        return text
