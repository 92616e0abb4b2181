"""A worker in which a part fails ends by itself, instead of only looking healthy."""

from collections.abc import Callable

import pytest
from ledger import by_message, read
from patience import PATIENCE
from pipelines import Trial
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio, pathlib
import ledger
from penstock.worker import maintenance_loop, registration, settler, worker

BROKEN = pathlib.Path("broken")

def break_when_told(kind, name):
    usual = getattr(kind, name)

    async def broken(self, *args):
        if BROKEN.exists():
            raise RuntimeError("a secret")
        return await usual(self, *args)

    setattr(kind, name, broken)

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    while not BROKEN.exists():
        await asyncio.sleep(0.02)
    ledger.note("end", message["id"], context.fence)

"""
BREAKS = {
    "lease": 'break_when_told(registration.ConsumerRegistration, "renew")',
    "settler": 'break_when_told(settler.Settler, "_flush")',
    "audit": 'break_when_told(worker.Audit, "__call__")',
    "maintenance": 'break_when_told(maintenance_loop.Takeover, "run")',
    "side loop": """
def leave():
    if BROKEN.exists():
        raise SystemExit(3)

async def renew(self, consumer, lease):
    asyncio.get_running_loop().call_later(0.1, leave)
    return True

registration.ConsumerRegistration.renew = renew
""",
}


@pytest.mark.parametrize("part", BREAKS)
def test_a_part_that_fails_ends_the_worker(make_trial: Callable[..., Trial], part: str) -> None:
    """It logs the part, and exits with a code of its own. Nothing is lost: another worker runs what it left."""
    with make_trial(handlers=HANDLERS + BREAKS[part], spec="work: {concurrency: 2, lease: 10s}\n") as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "a"}])
        wait_for(lambda: read(trial.ledger), "the message runs")
        (trial.folder / "broken").touch()
        assert worker.process.wait(PATIENCE) == 70
        (line,) = worker.events(Event.PART_FAILED)
        assert (line["level"], line["part"]) == ("ERROR", part)
        assert "secret" not in worker.log()
        (trial.folder / "broken").unlink()
        (trial.folder / "handlers.py").write_text(HANDLERS.replace("while not", "while"))
        other = trial.worker().ready()
        trial.until_drained()
        assert by_message(read(trial.ledger), "end")["a"]
        assert other.end() == 0
