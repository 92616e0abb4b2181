"""A stream that keeps history, under kills and foreign hands.

The page on states says what this mode cannot recover, and exactly that is excused: a first attempt whose consumer was
deleted and whose worker was then lost; a fence that a waiting read repeats after the group was set back; and messages
that run again although they were finished.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from pipelines import KEY

from .account import Facts
from .family import Family
from .of_processes import LEASE
from .storm import Storm

SOON = LEASE
"""Seconds in which a deleted consumer's worker ends what it ran, or recovers it."""
DELETE = """
local dropped = {}
for _, one in ipairs(redis.call('XPENDING', KEYS[1], 'trial', '-', '+', 10000, ARGV[1])) do
  local entry = redis.call('XRANGE', KEYS[1], one[1], one[1])[1]
  if entry and one[4] == 1 then dropped[#dropped + 1] = entry[2] end
end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], 'trial', ARGV[1])
return dropped
"""
"""Returns the fields of the first attempts that are dropped."""
KILLS, HANDS = 5, 8


@dataclass(frozen=True, slots=True)
class Dropped:
    """A first attempt whose consumer was deleted."""

    body: str
    consumer: str
    at: float


def kept(storm: Storm) -> None:
    """Kills, then all foreign hands in random order, with kills between them."""
    dropped: list[Dropped] = []
    for _ in range(KILLS):
        storm.pause(0.3, 1.5)
        storm.kill(storm.rng.choice([*storm.workers, *storm.janitors]))
    hands = [_destroy, _set_back] * 2
    storm.rng.shuffle(hands)
    for number in range(HANDS):
        storm.pause(0.5, 2.5)
        if number % 2:
            hands[number // 2](storm)
        else:
            dropped += _delete_consumer(storm)
        if storm.rng.random() < 0.4:
            storm.kill(storm.rng.choice(storm.workers))
    storm.pause(2, 4)
    storm.lost_with_consumers |= {one.body for one in dropped if _may_be_lost(storm, one)}


def _destroy(storm: Storm) -> None:
    storm.regrouped.append(time.monotonic())
    storm.ask("XGROUP", "DESTROY", KEY, "trial")


def _set_back(storm: Storm) -> None:
    now = time.monotonic()
    storm.regrouped.append(now)
    storm.set_back.append(now)
    entries = storm.ask("XRANGE", KEY, "-", "+", "COUNT", 50)
    assert isinstance(entries, list)
    places = ["0", *(str(one[0]) for one in entries[-1:] if isinstance(one, list))]
    if storm.ask("EXISTS", KEY) and storm.ask("XINFO", "GROUPS", KEY):
        storm.ask("XGROUP", "SETID", KEY, "trial", storm.rng.choice(places))


def _delete_consumer(storm: Storm) -> list[Dropped]:
    if not storm.ask("XINFO", "GROUPS", KEY):
        return []
    live = storm.trial.live_consumers()
    name = storm.rng.choice([*live, *live, "~parked", "~ready", "~suspect"])
    at = time.monotonic()
    reply = storm.ask("EVAL", DELETE, 1, KEY, name)
    assert isinstance(reply, list)
    bodies = []
    for fields in reply:
        assert isinstance(fields, list)
        text = str(dict(zip(fields[::2], fields[1::2], strict=True))["data"])
        bodies.append(text.partition('"id":')[2].split('"')[1])
    return [Dropped(body, name, at) for body in bodies]


def _may_be_lost(storm: Storm, one: Dropped) -> bool:
    """Whether the worker ended, or lost its lease with the group, before it could bring the message back."""
    end = one.at + SOON
    for process in storm.trial.processes:
        if any(line.get("consumer") == one.consumer for line in process.lines()):
            ended = process.killed is not None and process.killed <= end
            return ended or any(one.at <= moment <= end for moment in storm.regrouped)
    return True


def check(storm: Storm, facts: Facts) -> list[str]:
    del facts
    storm.notes.append(f"messages that may be lost with their consumer: {len(storm.lost_with_consumers)}")
    return []


FAMILIES = (
    Family(
        "kept",
        "Keeps the last 500 finished messages; kills workers, deletes consumers, destroys the group and sets it back.",
        "P1, P3, P4, P7, P8, P6 no unfinished message is trimmed; without what this mode "
        "[cannot recover](../explanation/states.md#a-stream-that-keeps-history)",
        kept,
        spec={
            "stream": "stream: {key: trial, group: trial, retention: {keep: {length: 500}}}",
            "janitor": "janitor: {trim: {every: 2s}}",
        },
        checks=check,
    ),
)
