"""What keys and tests do to what runs."""

from __future__ import annotations

from random import SystemRandom

from penstock.operating.spans import many
from penstock.producer.outcomes import Duplicate, Sent
from penstock.producer.producer import Producer
from penstock.wire.url import read_url
from penstock_dev.running.station import Station
from penstock_dev.running.supervisor import Supervisor
from penstock_dev.sample import sample
from penstock_dev.seen import Level
from penstock_spec.findings import CannotGoOn

BUNCH = 500


class Controls:
    """Of all that a supervisor runs; see `penstock_dev.control`."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        self._chance = SystemRandom()

    async def send(self, spec: str, count: int) -> str:
        """Messages that fit the schema."""
        pipeline = self._station(spec).runs.of
        schema = pipeline.of_messages()
        _, credentials = read_url(self.supervisor.server.url, self.supervisor.terms.environ)
        sent, trouble = 0, ""
        async with Producer(pipeline, credentials=credentials) as producer:
            for begin in range(0, count, BUNCH):
                bodies = [sample(schema, self._chance) for _ in range(min(BUNCH, count - begin))]
                for outcome in await producer.send_many(bodies, timeout=5):
                    if isinstance(outcome, Sent | Duplicate):
                        sent += 1
                    else:
                        trouble = str(getattr(outcome, "error", outcome))
        if trouble:
            raise CannotGoOn(f"{sent} of {count} sent; {trouble}")
        return self._did(f"sent {many(sent, 'message')}", spec)

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
        """Scaling stands still."""
        self._station(spec).scaling.pause()
        return self._did("paused scaling", spec)

    async def resume(self, spec: str) -> str:
        """It goes on."""
        self._station(spec).scaling.resume()
        return self._did("resumed scaling", spec)

    def _station(self, spec: str) -> Station:
        if spec not in self.supervisor.stations:
            raise CannotGoOn(f"`{spec}` does not run here any more")
        return self.supervisor.stations[spec]

    def _did(self, text: str, spec: str = "") -> str:
        self.supervisor.book.write(text, level=Level.INFO, spec=spec)
        return text
