"""One storm: senders, workers and janitors on a real Redis, then faults, then calm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

import hiredis
from apiserver import ApiServer
from fault_journal import Send, Step, sends, steps
from faulty_connection import Cable
from memory_limits import MemoryLimit
from patience import PATIENCE
from pipelines import KEY, Trial
from raw_client import Reply
from servers import Server, wait_for
from shifted_clocks import ShiftedClock
from targets import Target

from . import load
from .supervised import Around, Place, Supervisor, pause

REST = 180.0
"""Seconds in which everything must come to rest after the faults."""
ENOUGH = 5
"""The steps of handlers after which faults begin."""
FAILED = ("process.part_failed", "loop.exception")
"""Events of errors that nothing expected."""


class Storm:
    """The processes and the ledger of one storm. A family calls its methods."""

    def __init__(  # noqa: PLR0913 - the shape of a storm
        self,
        folder: Path,
        target: Target,
        rng: Random,
        *,
        seconds: float,
        workers: int = 3,
        janitors: int = 2,
        through_cables: bool = False,
        kinds: dict[str, int] | None = None,
        exits: tuple[int, ...] = (),
        drains: tuple[int, ...] = (0,),
        window: str = "1h",
        spec: Mapping[str, str] | None = None,
        attempts: int = load.ATTEMPTS,
        around: Callable[[Storm, str, int], Around] | None = None,
    ) -> None:
        """`spec` replaces sections of `load.SPEC`, each on one line; `around` gives a process its surroundings."""
        self.target = target
        self.rng = rng
        self.seconds = seconds
        self.excused_before = float("-inf")
        """Messages that were sent between `excused_after` and this moment may be lost: Redis lost what it had."""
        self.excused_after = float("-inf")
        self.is_new_history = False
        """Redis forgot steps that it had acknowledged, so a fence may repeat and finished messages may run again."""
        self.regrouped: list[float] = []
        """When the group of a stream that keeps history vanished or was set back."""
        self.lost_with_consumers: set[str] = set()
        """Messages of such a stream that may be lost."""
        self.set_back: list[float] = []
        """When the group was set back to entries that it had delivered."""
        self.notes: list[str] = []
        self.buries_twice = False
        """Whether a dead letter may be written twice: its script ended between the dead letter and the removal."""
        self.kills: list[float] = []
        """When `kill` ended a process."""
        self.clocks: list[ShiftedClock] = []
        """The clocks of processes, if a family shifts them."""
        self.limits: list[MemoryLimit] = []
        """The memory limits of workers, if a family has them."""
        self.pods: list[ApiServer] = []
        """The API servers of janitors, if a family has them."""
        self.folder = folder
        self.ends = ExitStack()
        self.attempts = attempts
        dedup = load.DEDUP % window
        (folder / "repository").mkdir()
        sections = load.sections(dedup, attempts) | dict(spec or {})
        self.keeps_history = "retention" in sections["stream"]
        self.trial = Trial(
            folder / "repository", target, handlers=load.HANDLERS, spec="\n".join(sections.values()) + "\n"
        )
        self.ends.enter_context(self.trial)
        plain = (folder / "repository/specs/trial.yaml").read_text().replace(dedup, "")
        (folder / "repository/plain.yaml").write_text(plain)
        self.sent = folder / "sent"
        self._through_cables = through_cables
        self.cables: list[Cable] = []
        self._around = around
        self._roles = ["worker"] * workers + ["janitor"] * janitors
        self._kinds = kinds or load.KINDS
        self._exits = exits
        self._drains = drains
        self._specs = (folder / "repository/specs/trial.yaml", folder / "repository/plain.yaml")
        self.places: list[Place] = []
        self._supervisor: Supervisor | None = None
        self.senders: list[load.Sender] = []

    def _connection(self) -> tuple[str, Cable | None]:
        if not self._through_cables:
            return self.target.url, None
        cable = self.ends.enter_context(Cable(self.target.servers[0].port))
        self.cables.append(cable)
        return f"redis://{cable.address}", cable

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _start(self) -> None:
        for number, role in enumerate(self._roles):
            around = self._around(self, role, number) if self._around else None
            self.places.append(Place(self.trial, role, *self._connection(), around))
            self.places[-1].expected_codes |= {*self._exits, *self._drains}
            self.places[-1].drain_codes = self._drains
        for spec in self._specs:
            url, _ = self._connection()
            rng = Random(self.rng.random())  # noqa: S311 - no secret
            self.senders.append(load.Sender(spec, url, self.sent, rng, self._kinds))
        self.workers[0].process.ready()
        self._supervisor = Supervisor(self.places)
        self._supervisor.start()
        for sender in self.senders:
            sender.start()
        wait_for(lambda: len(self.steps()) > ENOUGH, "the workers run messages")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for sender in self.senders:
            sender.stopped.set()
        if self._supervisor:
            self._supervisor.stop()
        self.ends.close()

    @property
    def server(self) -> Server:
        return self.target.servers[0]

    @property
    def workers(self) -> list[Place]:
        return [place for place in self.places if place.role == "worker"]

    @property
    def janitors(self) -> list[Place]:
        return [place for place in self.places if place.role == "janitor"]

    def steps(self) -> list[Step]:
        return steps(self.trial.ledger)

    def sends(self) -> list[Send]:
        return sends(self.sent)

    def ask(self, *command: str | bytes | float) -> Reply:
        return self.trial.ask(*command)

    def faults_last(self) -> float:
        """The moment at which the faults end."""
        return time.monotonic() + self.seconds

    def pause(self, at_least: float, at_most: float) -> None:
        """Let a random time pass before the next fault."""
        pause(self.rng.uniform(at_least, at_most))

    def kill(self, place: Place) -> None:
        """Send SIGKILL, and remember when."""
        self.kills.append(time.monotonic())
        place.kill()

    def forget(self, *, after: float = float("-inf"), is_new_history: bool = True) -> None:
        """Redis lost what it acknowledged between `after` and now: these messages may be lost."""
        self.excused_after = after
        self.excused_before = time.monotonic()
        self.is_new_history = is_new_history

    def calm(self) -> list[str]:
        """Stop sending, wait until everything is at rest, drain the processes; return what is not as it must be."""
        for sender in self.senders:
            sender.stopped.set()
        for sender in self.senders:
            sender.join(PATIENCE)
        problems = self._come_to_rest()
        for place in self.janitors:
            place.keep_running()
            place.end()
        for place in self.places:
            problems += place.surprises
        return problems + self._told_by_logs()

    def _come_to_rest(self) -> list[str]:
        problems: list[str] = []
        try:
            wait_for(self._is_drained, "the stream and the delayed messages are empty", REST)
        except AssertionError:
            problems.append(f"stuck: {self._describe()}")
        assert self._supervisor
        self._supervisor.stop()
        for place in self.workers:
            place.keep_running()
            place.process.ready()
            place.end()
        while count := len(self.trial.live_consumers()):
            try:
                wait_for(partial(self._has_fewer_consumers, count), "another consumer of a lost worker is gone", REST)
            except AssertionError:
                problems.append(f"{count} consumers stay, such as {self.trial.live_consumers()[:3]}")
                break
        try:
            self.trial.assert_nothing_left()
        except (AssertionError, hiredis.HiredisError) as error:
            problems.append(f"left behind: {error}")
        return problems + self._signal()

    def _told_by_logs(self) -> list[str]:
        lines = [line for process in self.trial.processes for line in process.lines()]
        return [f"a log has {json.dumps(line)[:400]}" for line in lines if line.get("event") in FAILED]

    def _has_fewer_consumers(self, than: int) -> bool:
        return len(self.trial.live_consumers()) < than

    def _is_drained(self) -> bool:
        if self.trial.number("ZCARD", "{trial}:delayed"):
            return False
        return self._has_finished_history() if self.keeps_history else self.trial.left() == 0

    def _has_finished_history(self) -> bool:
        """Whether everything in a stream that keeps history was delivered, and no record says that it is unfinished."""
        groups, stream = self.ask("XINFO", "GROUPS", KEY), self.ask("XINFO", "STREAM", KEY)
        assert isinstance(groups, list)
        assert isinstance(stream, list)
        if len(groups) != 1 or not isinstance(groups[0], list) or self.ask("HEXISTS", "{trial}:trial:position", "left"):
            return False
        group = dict(zip(groups[0][::2], groups[0][1::2], strict=True))
        last = dict(zip(stream[::2], stream[1::2], strict=True))["last-generated-id"]
        try:
            self.trial.assert_nothing_left()
        except AssertionError:
            return False
        return bool(group["last-delivered-id"] == last)

    def _describe(self) -> str:
        return f"{self.trial.left()} left, {self.ask('XPENDING', KEY, 'trial')}, {self.ask('XINFO', 'GROUPS', KEY)}"

    def _signal(self) -> list[str]:
        """The backlog as operators and KEDA see it, which must be zero at rest."""
        command = [sys.executable, "-m", "penstock", "status", "trial", "--json", "--redis", self.target.url]
        environ = self.target.environ()
        with (self.trial.folder / "status").open("wb") as out:
            code = subprocess.call(command, cwd=self.trial.folder, stdout=out, env={**os.environ, **environ})
        if code:
            return [f"`penstock status` exits with {code}"]
        found: Any = json.loads((self.trial.folder / "status").read_text())
        rows = found if isinstance(found, list) else found.get("pipelines", [found])
        names = (
            *(() if self.keeps_history else ("length",)),
            "new",
            "running",
            "ready",
            "suspect",
            "parked",
            "delayed",
            "consumers",
        )
        return [f"`penstock status` shows {name} = {row[name]} at rest" for row in rows for name in names if row[name]]
