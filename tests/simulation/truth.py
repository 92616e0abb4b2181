"""The ground truth, observed from outside: every delivery, every handler, every step at the server.

It uses no code under test, and reports each violation when it happens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from penstock.keys import PARKED, STATES, SUSPECT
from penstock.wire.errors import Refused, Reply

from .plan import Setup
from .records import DeliveryRecord, Message, Run, ServerState, Violation

ENOUGH = 50
SOON = 1.0
"""Seconds within which a worker acts on the loss of its lease."""
NOTICES = 0.8
"""Within this part of a lease a worker notices that it does not own what it runs: it compares at each renewal."""
TICK = 0.002
"""Seconds: Redis time is in milliseconds."""
FORCE = 1000
"""The step of delivery counts in forced claims."""


class Truth:
    """Observes the server and the handlers, and checks what they do."""

    def __init__(self, setup: Setup, log: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._setup = setup
        self._clock = clock
        self._fences: set[tuple[bytes, int]] = set()
        self._started: set[tuple[bytes, int]] = set()
        self.log = log
        self.messages = {one.name: Message(one) for one in setup.messages}
        self.violations: list[Violation] = []
        self.entries: dict[bytes, Message] = {}
        self.current: dict[bytes, DeliveryRecord | None] = {}
        """The current delivery of each entry that was delivered; None if no worker has it."""
        self.lost: set[str] = set()
        """Consumers that were taken over."""
        self.noticed_loss: set[str] = set()
        """Consumers whose worker knows that the lease is lost."""
        self.renewed: dict[str, float] = {}
        """The time of each lease's last renewal."""
        self.process_of: dict[str, str] = {}
        """The process of each consumer."""
        self.consumers: dict[str, str] = {}
        """The consumer that each process registered or renewed last."""
        self.stays_for_others = False
        """Whether another group reads the stream, or did: then finished entries may still be there."""
        self.tainted: set[str] = set()
        """The kinds of foreign changes so far."""
        self.last = ServerState({}, {}, set())
        self._gone: set[str] = set()
        """Processes that crashed or exited."""
        self._noticed_at: dict[str, float] = {}
        """When the worker of a consumer learned that its lease is lost."""
        self.is_draining: Callable[[str], bool] = lambda _: False
        """Whether a process got SIGTERM a while ago."""
        self.blocked_until: Callable[[str], float] = lambda _: 0.0
        """The end of the last time when a process or its main loop stood still, so that it could cancel nothing."""
        self.has_violation: Callable[[str], object] = lambda _: None
        """Is called with the kind of each violation."""
        self.had_trouble_since: Callable[[str, float], bool] = lambda _, __: True
        """Whether a fault kept a process from noticing, since then, that its consumer was deleted."""
        self.is_healthy: Callable[[str], bool] = lambda _: False
        """Whether no fault keeps a consumer from renewing its lease."""

    def violate(self, kind: str, details: str) -> None:
        self.violations.append(Violation(kind, details))
        self.has_violation(kind)
        self.log(f"!!! {kind}: {details}")

    @property
    def is_hopeless(self) -> bool:
        """Whether there are too many violations to go on."""
        return len(self.violations) > ENOUGH

    @property
    def has_ended(self) -> bool:
        """Whether each message in the stream has ended, and no handler runs."""
        for one in self.messages.values():
            if one.done + len(one.dead) < one.entered - one.vanished:
                return False
            for run in one.runs:
                if not run.how:
                    return False
        return True

    def message_of(self, entry: bytes, fields: Sequence[bytes]) -> Message:
        """The message of an entry; even an unreadable body has its name."""
        message = self.entries.get(entry)
        if message is None:
            body = fields[fields.index(b"data") + 1].decode()
            message = self.entries[entry] = self.messages[body.split('"')[3]]
        return message

    # -- handlers ---------------------------------------------------------------------------------------------------

    def handler_started(  # noqa: PLR0913 - all that is known of a run
        self,
        message: Message,
        record: DeliveryRecord,
        attempt: int,
        why: Callable[[], str | None],
        told: Callable[[], bool] = lambda: True,
        *,
        isolated: bool,
    ) -> Run:
        """Record the start of a handler, for the delivery that its process believes to have."""
        run = Run(message, record.process, record.consumer, attempt, why, told, isolated=isolated)
        line = f"{record.process} starts {message.name}, attempt {attempt}, fence {record}"
        self.log(line + " isolated" * isolated)
        excused = record.consumer in self.lost  # it was suspended, and does not know yet
        most = self._setup.attempts + message.alone_again
        if message.charged_since_force > most and not message.uncounted and not excused:
            details = f"{message.name} starts again, after {message.charged_since_force} of {self._setup.attempts}"
            self.violate("too-many-attempts", details)
        if (record.entry, record.count) in self._started and not {"position", "uncharged"} & self.tainted:
            self.violate("fence-twice", f"{message.name} starts again with the fence {record.count}")
        self._started.add((record.entry, record.count))
        self._check_fence(run, record)
        if excused and not self.tainted:
            self.violate("started-late", f"{run.process} starts {message.name} after others have taken it over")
        for other in message.runs:
            if other.is_running and other.consumer in self.lost and not other.told() and not self.tainted:
                self.violate("untold-loss", f"{run.process} starts {message.name}; {other.process} does not know")
            if other.is_running and not excused and not self._is_excused(other):
                self.violate(
                    "concurrent-runs", f"{run.process} starts {message.name}, which still runs on {other.process}"
                )
        self._check_company(run)
        self._check_reason(run)
        message.runs.append(run)
        return run

    def _check_fence(self, run: Run, record: DeliveryRecord) -> None:
        now = self.current.get(record.entry)
        if now is not None and (now.consumer, now.count) == (record.consumer, record.count):
            now.run, now.began = run, True
            run.alone = now.source == SUSPECT and not run.isolated
            if run.alone and run.attempt <= self._setup.attempts and self._setup.memory == "ample":
                self.violate("suspect-not-isolated", f"{run.process} has memory to isolate {run.message.name}")
        elif record.consumer not in self.lost and not run.message.foreign:
            owner = "nobody's" if now is None else str(now)
            self.violate("phantom-start", f"{run.process} starts {run.message.name} as {record}, but it is {owner}")

    def _check_company(self, run: Run) -> None:
        """Check that no more handlers run than there are slots, and that an additional attempt runs alone."""
        others = [one for one in self._running_in(run.process) if one.message is not run.message]
        if len(others) + 1 > self._setup.concurrency:
            self.violate("too-many-running", f"{run.process} runs {len(others) + 1}")
        for one in (run, *others) if others else ():
            if self._must_be_alone(one):
                self.violate("not-alone", f"{run.process} runs {one.message.name} with others")

    def _check_reason(self, run: Run) -> None:
        """Check that its process may still start messages, and that no living worker has finished this one."""
        if self.is_draining(run.process):
            self.violate("started-in-drain", f"{run.process} starts {run.message.name} after SIGTERM")
        for one in run.message.runs:
            is_over = one.process in self._gone or {one.consumer, run.consumer} & self.lost or run.message.foreign
            if one.how == "ok" and one.why() is None and not is_over:
                self.violate("ran-after-success", f"{run.process} starts {run.message.name}, finished by {one.process}")

    def handler_ended(self, run: Run, how: str) -> None:
        """Record that a handler returned, failed, or was stopped."""
        if not run.is_running:
            return
        run.how = how
        self.log(f"{run.process} ends {run.message.name}: {how}")
        # By its own clock it knows at the latest when the last lease that Redis granted has expired.
        expired = self.renewed.get(run.consumer, self._clock()) + self._setup.lease
        noticed = min(self._noticed_at.get(run.consumer, expired), expired)
        cancels = self._setup.when_lost == "cancel" and not run.isolated
        noticed = max(noticed, self.blocked_until(run.process))
        if cancels and how == "ok" and run.why() is None and self._clock() > noticed + SOON:
            self.violate(
                "ran-after-loss", f"{run.process} finishes {run.message.name} and knows that others may run it"
            )

    def process_crashed(self, process: str, cause: Message | None) -> None:
        """Record the crash of a process with all its handlers."""
        self._gone.add(process)
        self._vanish_with(process)
        for run in self._running_in(process):
            origin = "outside" if cause is None else "own" if run.message is cause else "other"
            self.handler_ended(run, f"crash-{origin}")

    def process_exited(self, process: str) -> None:
        """Record the exit of a process, which ends abandoned handlers."""
        self._gone.add(process)
        for run in self._running_in(process):
            if run.why() is None:
                self.violate("unexpected-exit", f"{process} exits while {run.message.name} runs there")
            self.handler_ended(run, "left")

    def had_stuck(self, process: str) -> bool:
        """Whether a handler that had to run alone was cancelled there; if it ran on, the process had to end."""
        runs = (run for one in self.messages.values() for run in one.runs if run.process == process)
        return any(self._must_be_alone(run) and run.why() is not None for run in runs)

    def _must_be_alone(self, run: Run) -> bool:
        return run.alone or (run.attempt > self._setup.attempts and not run.message.uncounted)

    def _running_in(self, process: str) -> list[Run]:
        return [run for one in self.messages.values() for run in one.runs if run.is_running and run.process == process]

    def _is_excused(self, run: Run) -> bool:
        """Whether a lost lease, a foreign change or a cancellation allows a second handler of the message."""
        return run.consumer in self.lost or run.message.foreign or run.why() is not None

    # -- the server -------------------------------------------------------------------------------------------------

    def delivered(self, record: DeliveryRecord, fields: Sequence[bytes]) -> None:
        """Record a delivery of an entry."""
        message = self.message_of(record.entry, fields)
        self.log(f"{record.process} gets {message.name} as {record} {record.source}".rstrip())
        fence = (record.entry, record.count)
        # A group that was set back repeats counts before a worker can notice; it must not start a handler with them.
        if fence in self._fences and not {"position", "uncharged", "set-back"} & self.tainted:
            self.violate("fence-twice", f"{message.name} had the delivery count {record.count} before")
        self._fences.add(fence)
        if self._clock() < message.due - TICK and not self.tainted:
            self.violate("retried-early", f"{message.name}, {message.due - self._clock():.3f} s before it is due")
        message.due = 0.0
        if message.is_suspect and record.source != SUSPECT and not self.tainted:
            self.violate("suspect-forgotten", f"{record.process} gets {message.name} as {record}, not as a suspect")
        # If the process runs it already, the delivery only renews its fence.
        record.run = next((one for one in message.runs if one.is_running and one.process == record.process), None)
        message.deliveries.append(record)
        message.vanishes_with, message.vanished = "", False
        message.recorded = False
        self.current[record.entry] = record

    def left_running(self, step: str, process: str, consumer: str, entry: bytes, count: int) -> DeliveryRecord | None:
        """Record a step out of running; return the delivery if the step belongs to it."""
        record = self.current.get(entry)
        self.current[entry] = None
        if record is not None and (record.consumer, record.count) == (consumer, count):
            return record
        owner = "nobody's" if record is None else str(record)
        details = f"{process} does {step} with {self.entries[entry].name} as {count} of {consumer}, but it is {owner}"
        self.violate("not-the-owner", details)
        return None

    def received_huge(self, process: str, reply: Reply | Refused) -> None:
        """Record that a body is too large for the memory of its receiver; once, because no read can know it before."""
        for message in self.messages.values():
            if message.planned.kind == "huge" and b'"%s"' % message.name.encode() in repr(reply).encode():
                message.kills += 1
                self.log(f"{process} receives {message.name}, which is too large")
                if message.kills > 1 and not message.foreign:
                    self.violate("crash-loop", f"{message.name} kills worker {message.kills}, {process}")

    def settled(self, process: str, message: Message) -> None:
        message.done += 1
        if not any(run.how == "ok" and run.process == process for run in message.runs):
            self.violate("settled-unfinished", f"{process} settles {message.name} without finishing it")

    def freed(self, message: Message, record: DeliveryRecord, renewals: int, *, itself: bool) -> None:
        """Uncount the `renewals` deliveries before this one, which only renewed its fence; and itself if given back."""
        before = [
            one for one in message.deliveries if one.consumer == record.consumer and not one.freed and one is not record
        ]
        for one in before[len(before) - renewals :]:
            one.freed = True
        record.freed = itself

    def entered(self, message: Message) -> None:
        """Record that a send was accepted."""
        message.entered += 1
        if message.entered > 1:
            self.violate("sent-twice", f"{message.name} was accepted {message.entered} times")

    def parked(self, message: Message, wait: float, *, crashed: bool) -> None:
        message.due = self._clock() + wait
        message.is_suspect = crashed

    def noticed(self, consumer: str) -> None:
        """Record that a worker learns that its lease is lost."""
        self.noticed_loss.add(consumer)
        self._noticed_at.setdefault(consumer, self._clock())

    def buried(self, message: Message, record: DeliveryRecord | None, reason: str) -> None:
        message.dead.append(reason)
        if reason in ("unreadable", "refused") or message.uncounted:
            return
        attempts = self._setup.attempts
        ends = [run.how or f"{run.why()}, still running" for run in message.runs]
        details = f"{message.name} is {reason} after {message.charged} of {attempts} attempts: {ends}"
        if message.charged < attempts + (reason == "lost"):
            self.violate("dead-early", details)
        if reason == "lost":
            if self._was_lost_with_another(message):
                self.violate("innocent-buried", details)
        elif record is None or record.run is None or not record.run.has_failed:
            self.violate("dead-without-failure", details)

    def _was_lost_with_another(self, message: Message) -> bool:
        """Whether another message crashed the worker to which this one was delivered last, begun or not."""
        if any(run.alone and run.how == "crash-own" for run in message.runs):
            return False  # it was only delivered to be buried since then
        last = next((one for one in reversed(message.deliveries) if one.lost and not one.freed), None)
        if last is None:
            return False
        if last.run is not None:
            return last.run.how == "crash-other"
        others = (run for one in self.messages.values() if one is not message for run in one.runs)
        return any(run.process == last.process and run.how == "crash-own" for run in others if not run.isolated)

    def registered(self, process: str, consumer: str) -> None:
        self.process_of[consumer] = process
        self.renewed[consumer] = self._clock()
        self.consumers[process] = consumer
        self.log(f"{process} registers {consumer}")

    def renewed_lease(self, process: str, consumer: str) -> None:
        self.renewed[consumer] = self._clock()
        self.consumers[process] = consumer
        if consumer in self.lost:
            self.violate("renewed-after-loss", consumer)

    def taken_over(self, consumer: str) -> None:
        if consumer in self.renewed and consumer not in self.lost and self.is_healthy(consumer):
            self.violate("healthy-lost", consumer)
        self.lost.add(consumer)
        self._vanish_with(self.process_of.get(consumer, ""))

    def _vanish_with(self, process: str) -> None:
        """Record that a process is lost before it brought back what only it can bring back."""
        for message in self.messages.values():
            if message.vanishes_with and message.vanishes_with == process:
                since = message.vanishes_since
                if self._clock() > since + self._setup.lease * NOTICES and not self.had_trouble_since(process, since):
                    continue  # it had the time to notice, and to own the message again
                message.vanished = True
                self.log(f"{process} was the only one that could bring back {message.name}")

    def consumer_deleted(self, consumer: str) -> None:
        """Record that a foreign client deletes a consumer with all its messages."""
        self.tainted.add("consumer")
        for entry, (owner, _) in (self.last.pending or {}).items():
            if owner == consumer and entry in self.entries:
                message = self.entries[entry]
                message.foreign = True
                message.may_repeat += owner not in STATES
                if self._setup.history and owner not in STATES and len(message.deliveries) == 1:
                    message.vanishes_with = message.deliveries[0].process
                    message.vanishes_since = self._clock()
                self.current[entry] = None

    def adopted(self, process: str, consumer: str, entry: bytes) -> None:
        """Record that a worker owns a message again that it runs, and whose consumer was deleted."""
        message = self.entries[entry]
        self.log(f"{process} owns {message.name} again")
        record = next(one for one in reversed(message.deliveries) if one.consumer == consumer)
        self.current[entry] = record
        message.vanishes_with = ""

    def group_gone(self) -> None:
        """Record that a foreign client destroys the group."""
        self.tainted.add("group")
        self.current.clear()
        for message in self.messages.values():
            message.foreign = True
            message.may_repeat += message.ended > 0 and not message.recorded

    def group_set_back(self) -> None:
        """Record that a foreign client sets the group back."""
        self.tainted |= {"group", "set-back"}
        for message in self.messages.values():
            message.foreign = True
            message.may_repeat += message.ended > 0 and not message.recorded

    def remembered(self) -> None:
        """Record that the janitor has recorded what is unfinished, so that what has ended by now must not run again."""
        for message in self.messages.values():
            message.recorded = message.ended > 0

    def settled_in_vain(self, process: str, message: Message) -> None:
        """Record that a message was finished after its consumer was deleted: nothing changes, and it has ended."""
        is_over = message.foreign and not message.ended and any(run.how == "ok" for run in message.runs)
        if self._setup.history and is_over:
            self.log(f"{process} has finished {message.name}, which is pending nowhere")
            message.done += 1

    def group_created(self) -> None:
        """Record that the group starts at the first message, even if there was an earlier group without records."""
        for message in self.messages.values():
            message.forced = len(message.deliveries)

    def deleted(self, key: str) -> None:
        """Record that a foreign client deletes a key."""
        self.tainted.add(key)
        if key == "uncharged":
            for message in self.messages.values():
                message.uncounted = True
        if key == "crashed":
            for message in self.messages.values():
                message.alone_again += len(message.deliveries) - message.forced > self._setup.attempts

    def owned_by(self, process: str) -> list[str]:
        """The messages that a process owns."""
        consumers = {one for one, of in self.process_of.items() if of == process} - self.noticed_loss
        pending = {} if self.tainted else self.last.pending or {}
        return [self.entries[one].name for one, (owner, _) in pending.items() if owner in consumers]

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
            if entry in self.current and entry not in state.pending and not self._stays(self.entries[entry]):
                self.violate("dropped", f"{self.entries[entry].name} was delivered and is not pending")

    def _stays(self, message: Message) -> bool:
        """Whether its entry stays in the stream although it has ended."""
        return (self._setup.history or self.stays_for_others) and message.ended >= message.entered

    def _compare(self, entry: bytes, before: tuple[str, int] | None, owner: str, count: int) -> None:
        message = self.entries[entry]
        if before is not None and count < before[1] and not self.tainted:
            self.violate("count-fell", f"{message.name}: from {before[1]} to {count}")
        if owner not in STATES:
            return
        message.is_suspect = message.is_suspect or owner == SUSPECT
        record = self.current.get(entry)
        if record is not None:
            record.lost = owner == SUSPECT
            self.log(f"{message.name} of {record.consumer} is {'suspect' if record.lost else 'given up'}")
            self.current[entry] = None
        if count >= FORCE and (before is None or count > before[1] + 1):
            message.forced = len(message.deliveries)
            message.is_suspect = False
            self.log(f"{message.name} comes back by a forced claim as {count}")
