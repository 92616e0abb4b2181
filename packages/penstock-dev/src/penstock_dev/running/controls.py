"""What keys and tests do to what runs."""

from __future__ import annotations

from penstock.wire.url import read_url
from penstock_dev.running.station import Station
from penstock_dev.running.supervisor import Supervisor
from penstock_dev.seen import Level
from penstock_spec.findings import CannotGoOn


class Controls:
    """Of all that a supervisor runs; see `penstock_dev.control`."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor

    async def send(self, spec: str, count: int) -> str:
        """Messages that fit the schema; of a scheduler, the next job."""
        station = self._station(spec)
        _, credentials = read_url(self.supervisor.server.url, self.supervisor.terms.environ)
        return self._did(await station.runs.send(station.link, credentials, count), spec)

    async def kill(self, spec: str, worker: str | None) -> str:
        """SIGKILL."""
        station = self._station(spec)
        one = station.crew.kill(worker, station.numbers.held or {})
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
        station = self._station(spec)
        said = await station.runs.hold(station.link, held=True)
        if said is None:
            station.scaling.pause()
        return self._did(said or "paused scaling", spec)

    async def resume(self, spec: str) -> str:
        """It goes on."""
        station = self._station(spec)
        said = await station.runs.hold(station.link, held=False)
        if said is None:
            station.scaling.resume()
        return self._did(said or "resumed scaling", spec)

    def _station(self, spec: str) -> Station:
        if spec not in self.supervisor.stations:
            raise CannotGoOn(f"`{spec}` does not run here any more")
        return self.supervisor.stations[spec]

    def _did(self, text: str, spec: str = "") -> str:
        self.supervisor.book.write(text, level=Level.INFO, spec=spec)
        return text
