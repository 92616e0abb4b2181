"""The ground truth, seen from outside: every delivery, every handler, every step at the server.

It asks nothing of the code under test, and reports each violation when it happens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from penstock.keys import PARKED, STATES, SUSPECT

from .plan import Setup
from .records import DeliveryRecord, Message, Run, ServerState, Violation

ENOUGH = 50
FORCE = 1000
"""What a claim by force adds to a delivery count."""


class Truth:
    """Learns everything from the server and from the handlers."""

    def __init__(self, setup: Setup, tell: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._setup = setup
        self._clock = clock
        self._fences: set[tuple[bytes, int]] = set()
        self.tell = tell
        self.messages = {one.name: Message(one) for one in setup.messages}
        self.violations: list[Violation] = []
        self.entries: dict[bytes, Message] = {}
        self.current: dict[bytes, DeliveryRecord | None] = {}
        """The present delivery of each entry that was ever delivered."""
        self.lost: set[str] = set()
        """Consumers that were taken over."""
        self.told_lost: set[str] = set()
        """Consumers that know that they are lost."""
        self.renewed: dict[str, float] = {}
        """When each lease was last renewed."""
        self.process_of: dict[str, str] = {}
        """The process of each consumer."""
        self.consumers: dict[str, str] = {}
        """The consumer that a process has renewed last."""
        self.tainted: set[str] = set()
        """The kinds of foreign changes so far."""
        self.last = ServerState({}, {}, set())
        self.is_healthy: Callable[[str], bool] = lambda _: False
        """Whether nothing keeps a consumer from renewing its lease."""

    def violate(self, kind: str, says: str) -> None:
        self.violations.append(Violation(kind, says))
        self.tell(f"!!! {kind}: {says}")

    @property
    def is_hopeless(self) -> bool:
        """Whether there are too many violations to go on."""
        return len(self.violations) > ENOUGH

    def message_of(self, entry: bytes, fields: Sequence[bytes]) -> Message:
        """The message of an entry: its body has the name, even if it cannot be read."""
        message = self.entries.get(entry)
        if message is None:
            body = fields[fields.index(b"data") + 1].decode()
            message = self.entries[entry] = self.messages[body.split('"')[3]]
        return message

    # -- handlers ---------------------------------------------------------------------------------------------------

    def handler_started(
        self, message: Message, record: DeliveryRecord, attempt: int, why: Callable[[], str | None], *, isolated: bool
    ) -> Run:
        """A handler was called, for the delivery that its process believes in."""
        run = Run(message, record.process, record.consumer, attempt, why)
        told = f"{record.process} begins {message.name}, attempt {attempt}, fence {record}"
        self.tell(told + " apart" * isolated)
        if message.charged_since_force > self._setup.attempts and not message.uncounted:
            told = f"{message.name} begins once more, after {message.charged_since_force} of {self._setup.attempts}"
            self.violate("too-many-attempts", told)
        self._check_fence(run, record)
        excused = record.consumer in self.lost
        for other in message.runs:
            if other.is_running and not excused and not self._is_excused(other):
                self.violate("at-once", f"{run.process} begins {message.name}, which still runs on {other.process}")
        self._check_company(run)
        message.runs.append(run)
        return run

    def _check_fence(self, run: Run, record: DeliveryRecord) -> None:
        now = self.current.get(record.entry)
        if now is not None and (now.consumer, now.count) == (record.consumer, record.count):
            now.run, now.began = run, True
        elif record.consumer not in self.lost and not run.message.foreign:
            whose = "nobody's" if now is None else str(now)
            self.violate("phantom-start", f"{run.process} begins {run.message.name} as {record}, and it is {whose}")

    def _check_company(self, run: Run) -> None:
        """Not too many run at the same time, and nothing runs beside an additional attempt."""
        beside = [one for one in self._running_in(run.process) if one.message is not run.message]
        if len(beside) + 1 > self._setup.concurrency:
            self.violate("too-many-running", f"{run.process} runs {len(beside) + 1}")
        for one in (run, *beside) if beside else ():
            if one.attempt > self._setup.attempts and not one.message.uncounted:
                self.violate("company", f"{run.process} runs {one.message.name} beside others, on its last chance")

    def handler_ended(self, run: Run, how: str) -> None:
        """A handler returned, failed, or was ended."""
        if run.is_running:
            run.how = how
            self.tell(f"{run.process} ends {run.message.name}: {how}")

    def process_crashed(self, process: str, cause: Message | None) -> None:
        """A process ended with all its handlers."""
        for run in self._running_in(process):
            word = "outside" if cause is None else "own" if run.message is cause else "company"
            self.handler_ended(run, f"crash-{word}")

    def process_exited(self, process: str) -> None:
        """A process exited, and abandoned handlers with it."""
        for run in self._running_in(process):
            if run.why() is None:
                self.violate("left", f"{process} ends while {run.message.name} runs there")
            self.handler_ended(run, "left")

    def _running_in(self, process: str) -> list[Run]:
        return [run for one in self.messages.values() for run in one.runs if run.is_running and run.process == process]

    def _is_excused(self, run: Run) -> bool:
        """Whether a lost lease, a foreign change or a cancellation allows a handler to run beside another."""
        return run.consumer in self.lost or run.message.foreign or run.why() is not None

    # -- the server -------------------------------------------------------------------------------------------------

    def delivered(self, record: DeliveryRecord, fields: Sequence[bytes]) -> None:
        """An entry was delivered."""
        message = self.message_of(record.entry, fields)
        self.tell(f"{record.process} is given {message.name} as {record} {record.source}".rstrip())
        fence = (record.entry, record.count)
        if fence in self._fences and not {"position", "uncharged"} & self.tainted:
            self.violate("fence-twice", f"{message.name} was given as {record.count} before")
        self._fences.add(fence)
        # If it runs there already, nothing starts: the delivery renews its fence.
        record.run = next((one for one in message.runs if one.is_running and one.process == record.process), None)
        message.deliveries.append(record)
        self.current[record.entry] = record

    def left_running(self, step: str, process: str, consumer: str, entry: bytes, count: int) -> DeliveryRecord | None:
        """A step out of running took effect; returns the delivery, if the step belonged to it."""
        record = self.current.get(entry)
        self.current[entry] = None
        if record is not None and (record.consumer, record.count) == (consumer, count):
            return record
        whose = "nobody's" if record is None else str(record)
        told = f"{process} does {step} with {self.entries[entry].name} as {count} of {consumer}, and it is {whose}"
        self.violate("not-the-owner", told)
        return None

    def settled(self, process: str, message: Message) -> None:
        message.done += 1
        if not any(run.how == "ok" and run.process == process for run in message.runs):
            self.violate("settled-unworked", f"{process} settles {message.name}, which it never finished")

    def freed(self, message: Message, record: DeliveryRecord, renewals: int, *, itself: bool) -> None:
        """`renewals` deliveries before this one only renewed its fence; it counts itself unless it was given back."""
        before = [
            one for one in message.deliveries if one.consumer == record.consumer and not one.freed and one is not record
        ]
        for one in before[len(before) - renewals :]:
            one.freed = True
        record.freed = itself

    def buried(self, message: Message, record: DeliveryRecord | None, reason: str) -> None:
        message.dead.append(reason)
        if reason in ("unreadable", "refused") or message.uncounted:
            return
        attempts = self._setup.attempts
        ends = [run.how or f"{run.why()}, and goes on" for run in message.runs]
        told = f"{message.name} is {reason} after {message.charged} of {attempts} attempts: {ends}"
        if message.charged < attempts + (reason == "lost"):
            self.violate("dead-early", told)
        if reason == "lost":
            if ends and ends[-1] == "crash-company":
                self.violate("company-buries", told)
        elif record is None or record.run is None or not record.run.has_failed:
            self.violate("dead-unfailed", told)

    def registered(self, process: str, consumer: str) -> None:
        self.process_of[consumer] = process
        self.renewed[consumer] = self._clock()
        self.tell(f"{process} registers {consumer}")

    def renewed_lease(self, process: str, consumer: str) -> None:
        self.renewed[consumer] = self._clock()
        self.consumers[process] = consumer
        if consumer in self.lost:
            self.violate("renewed-after-loss", consumer)

    def taken_over(self, consumer: str) -> None:
        if consumer in self.renewed and consumer not in self.lost and self.is_healthy(consumer):
            self.violate("healthy-lost", consumer)
        self.lost.add(consumer)

    def consumer_deleted(self, consumer: str) -> None:
        """Somebody deleted a consumer with all its messages."""
        self.tainted.add("consumer")
        for entry, (owner, _) in (self.last.pending or {}).items():
            if owner == consumer and entry in self.entries:
                self.entries[entry].foreign = True
                self.current[entry] = None

    def group_gone(self) -> None:
        """Somebody destroyed the group."""
        self.tainted.add("group")
        self.current.clear()
        for message in self.messages.values():
            message.foreign = True

    def group_created(self) -> None:
        """The group starts at the first message, also after somebody deleted the records of an earlier one."""
        for message in self.messages.values():
            message.forced = len(message.deliveries)

    def deleted(self, key: str) -> None:
        """Somebody deleted a key."""
        self.tainted.add(key)
        if key == "uncharged":
            for message in self.messages.values():
                message.uncounted = True

    def owned_by(self, process: str) -> list[str]:
        """The messages that a process owns."""
        lives = {one for one, of in self.process_of.items() if of == process} - self.told_lost
        pending = {} if self.tainted else self.last.pending or {}
        return [self.entries[one].name for one, (owner, _) in pending.items() if owner in lives]

    def observe(self, state: ServerState) -> None:
        """Check that the state after a change is consistent."""
        before, self.last = self.last.pending or {}, state
        for entry, body in state.entries.items():
            if entry not in self.entries:
                self.message_of(entry, (b"data", body))
        for entry, (owner, count) in (state.pending or {}).items():
            if entry in self.entries:
                self._compare(entry, before.get(entry), owner, count)
        if self.tainted or state.pending is None:
            return
        parked = {entry for entry, (owner, _) in state.pending.items() if owner == PARKED}
        if parked != state.due:
            self.violate("index-differs", f"parked {sorted(parked)}, due {sorted(state.due)}")
        for entry in state.entries:
            if entry in self.current and entry not in state.pending:
                self.violate("dropped", f"{self.entries[entry].name} was delivered and is pending nowhere")

    def _compare(self, entry: bytes, before: tuple[str, int] | None, owner: str, count: int) -> None:
        message = self.entries[entry]
        if before is not None and count < before[1] and not self.tainted:
            self.violate("count-fell", f"{message.name}: from {before[1]} to {count}")
        if owner not in STATES:
            return
        record = self.current.get(entry)
        if record is not None:
            record.lost = owner == SUSPECT
            self.tell(f"{message.name} is {'lost' if record.lost else 'taken'} from {record.consumer}")
            self.current[entry] = None
        if count >= FORCE and (before is None or count > before[1] + 1):
            message.forced = len(message.deliveries)
            self.tell(f"{message.name} is brought back by force as {count}")
