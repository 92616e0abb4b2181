"""The log line of a dead message names the message, its error and its dead letter."""

import json
from collections.abc import Callable

import pytest
from pipelines import DEAD, Trial
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio, os
import penstock

async def handle(message, context):
    match message["id"]:
        case "fails": raise ValueError("secret")
        case "refused": raise penstock.Bury("secret")
        case "hangs": await asyncio.sleep(600)
        case "crashes": os._exit(3)
"""
SPEC = """\
work: {{concurrency: 8, lease: 10s, timeout: 1s, isolation: {isolation}}}
retries: {{attempts: 1}}
message:
  schema: {{type: object, required: [id], properties: {{id: {{type: string}}, pet: {{type: integer}}}}}}
  correlate: id
  log_fields: [pet]
"""
SENT: list[dict[str, object]] = [
    {"id": "fails", "pet": 1},
    {"id": "refused", "pet": 2},
    {"id": "hangs", "pet": 3},
    {"id": "misfit", "pet": "4"},
]
AT = "handlers.py:6"


def dead_letters(trial: Trial) -> dict[str, str]:
    """The ids of dead letters, by the ids of their messages."""
    reply = trial.ask("XRANGE", DEAD, "-", "+")
    assert isinstance(reply, list)
    ids = {}
    for entry in reply:
        assert isinstance(entry, list)
        fields = entry[1]
        assert isinstance(fields, list)
        ids[json.loads(str(fields[1]))["id"]] = str(entry[0])
    return ids


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_the_line_names_the_error_and_the_dead_letter(make_trial: Callable[..., Trial], isolation: str) -> None:
    """This holds in the worker's process and in a child; the text of an exception is not logged."""
    crashes: list[dict[str, object]] = [{"id": "crashes", "pet": 5}] if isolation == "process" else []
    with make_trial(handlers=HANDLERS, spec=SPEC.format(isolation=isolation)) as trial:
        worker = trial.worker().ready()
        trial.send([*SENT, *crashes])
        wait_for(lambda: len(worker.events(Event.MESSAGE_DEAD)) == len(SENT) + len(crashes), "all are dead")
        lines = {line["correlation"]: line for line in worker.events(Event.MESSAGE_DEAD)}
        assert {name: line["dead_letter"] for name, line in lines.items()} == dead_letters(trial)
        assert all(line["message_id"] == line["entry"] for line in lines.values())
        logged = {name: (line["pet"], line["reason"], line["error"]) for name, line in lines.items()}
        assert logged == {
            "fails": (1, "failed", "ValueError"),
            "refused": (2, "refused", "penstock.Bury"),
            "hangs": (3, "failed", "TimeoutError"),
            "misfit": ("4", "unreadable", logged["misfit"][2]),
            **({"crashes": (5, "failed", "penstock.Crash")} if crashes else {}),
        }
        assert logged["misfit"][2].startswith("schema: ")
        assert lines["fails"]["at"] == AT
        assert "secret" not in worker.log()
        assert worker.end() == 0
