"""What really happens, seen from outside: every delivery, every handler, every step at the server.

Nothing here asks the code under test. What must never be is told as a violation at the moment at which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from penstock.keys import PARKED, STATES, SUSPECT

from .plan import Setup
from .records import Given, Message, Run, Seen, Violation

ENOUGH = 50
FORCE = 1000
"""What a claim by force adds to delivery counts."""


class Truth:
    """Told of everything by the server and by the handlers."""

    def __init__(self, setup: Setup, tell: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._setup = setup
        self._clock = clock
        self._fences: set[tuple[bytes, int]] = set()
        self.tell = tell
        self.messages = {one.name: Message(one) for one in setup.messages}
        self.violations: list[Violation] = []
        self.entries: dict[bytes, Message] = {}
        self.current: dict[bytes, Given | None] = {}
        """The delivery that an entry is out on, for all that were ever delivered."""
        self.lost: set[str] = set()
        """Consumers that were taken over."""
        self.over: set[str] = set()
        """Those that were told so."""
        self.renewed: dict[str, float] = {}
        """When each lease was last renewed."""
        self.process_of: dict[str, str] = {}
        """By consumer."""
        self.lives: dict[str, str] = {}
        """The consumer that a process has renewed last."""
        self.tainted: set[str] = set()
        """What foreign hands have done."""
        self.last = Seen({}, {}, set())
        self.healthy: Callable[[str], bool] = lambda _: False
        """Whether nothing keeps a consumer's worker from its lease."""

    def violate(self, kind: str, says: str) -> None:
        self.violations.append(Violation(kind, says))
        self.tell(f"!!! {kind}: {says}")

    @property
    def is_hopeless(self) -> bool:
        """Whether so much is wrong that there is no sense in going on."""
        return len(self.violations) > ENOUGH

    def message_of(self, entry: bytes, fields: Sequence[bytes]) -> Message:
        """An entry's message: its name stands in the body, also in one that cannot be read."""
        message = self.entries.get(entry)
        if message is None:
            body = fields[fields.index(b"data") + 1].decode()
            message = self.entries[entry] = self.messages[body.split('"')[3]]
        return message

    # -- handlers ---------------------------------------------------------------------------------------------------

    def begins(
        self, message: Message, given: Given, attempt: int, why: Callable[[], str | None], *, apart: bool
    ) -> Run:
        """A handler is called, for what its process takes for its delivery."""
        run = Run(message, given.process, given.consumer, attempt, why)
        told = f"{given.process} begins {message.name}, attempt {attempt}, fence {given}"
        self.tell(told + " apart" * apart)
        if message.charged_lately > self._setup.attempts and not message.uncounted:
            told = f"{message.name} begins once more, after {message.charged_lately} of {self._setup.attempts}"
            self.violate("too-many-attempts", told)
        self._check_fence(run, given)
        excused = given.consumer in self.lost
        for other in message.runs:
            if other.goes_on and not excused and not self._is_excused(other):
                self.violate("at-once", f"{run.process} begins {message.name}, which still runs on {other.process}")
        self._check_company(run)
        message.runs.append(run)
        return run

    def _check_fence(self, run: Run, given: Given) -> None:
        now = self.current.get(given.entry)
        if now is not None and (now.consumer, now.count) == (given.consumer, given.count):
            now.run, now.began = run, True
        elif given.consumer not in self.lost and not run.message.foreign:
            whose = "nobody's" if now is None else str(now)
            self.violate("phantom-start", f"{run.process} begins {run.message.name} as {given}, and it is {whose}")

    def _check_company(self, run: Run) -> None:
        """Not too many beside each other, and nothing beside one that has its last chance."""
        beside = [one for one in self._going_on(run.process) if one.message is not run.message]
        if len(beside) + 1 > self._setup.concurrency:
            self.violate("too-many-running", f"{run.process} runs {len(beside) + 1}")
        for one in (run, *beside) if beside else ():
            if one.attempt > self._setup.attempts and not one.message.uncounted:
                self.violate("company", f"{run.process} runs {one.message.name} beside others, on its last chance")

    def ends(self, run: Run, how: str) -> None:
        """It returned, failed, or was ended."""
        if run.goes_on:
            run.how = how
            self.tell(f"{run.process} ends {run.message.name}: {how}")

    def crashes(self, process: str, cause: Message | None) -> None:
        """A process ends with all that runs there."""
        for run in self._going_on(process):
            word = "outside" if cause is None else "own" if run.message is cause else "company"
            self.ends(run, f"crash-{word}")

    def leaves(self, process: str) -> None:
        """A process ends, and what was cancelled there and does not listen with it."""
        for run in self._going_on(process):
            if run.why() is None:
                self.violate("left", f"{process} ends while {run.message.name} runs there")
            self.ends(run, "left")

    def _going_on(self, process: str) -> list[Run]:
        return [run for one in self.messages.values() for run in one.runs if run.goes_on and run.process == process]

    def _is_excused(self, run: Run) -> bool:
        """A lost lease, a foreign hand, or having been cancelled excuses a handler that runs beside another."""
        return run.consumer in self.lost or run.message.foreign or run.why() is not None

    # -- the server -------------------------------------------------------------------------------------------------

    def gives(self, given: Given, fields: Sequence[bytes]) -> None:
        """An entry was delivered."""
        message = self.message_of(given.entry, fields)
        self.tell(f"{given.process} is given {message.name} as {given} {given.source}".rstrip())
        fence = (given.entry, given.count)
        if fence in self._fences and not {"position", "uncharged"} & self.tainted:
            self.violate("fence-twice", f"{message.name} was given as {given.count} before")
        self._fences.add(fence)
        # What runs there already starts nothing: its fence is renewed.
        given.run = next((one for one in message.runs if one.goes_on and one.process == given.process), None)
        message.givens.append(given)
        self.current[given.entry] = given

    def leave(self, step: str, process: str, consumer: str, entry: bytes, count: int) -> Given | None:
        """A step out of running took effect; on which delivery, if it was that one's to take."""
        given = self.current.get(entry)
        self.current[entry] = None
        if given is not None and (given.consumer, given.count) == (consumer, count):
            return given
        whose = "nobody's" if given is None else str(given)
        told = f"{process} does {step} with {self.entries[entry].name} as {count} of {consumer}, and it is {whose}"
        self.violate("not-the-owner", told)
        return None

    def settled(self, process: str, message: Message) -> None:
        message.done += 1
        if not any(run.how == "ok" and run.process == process for run in message.runs):
            self.violate("settled-unworked", f"{process} settles {message.name}, which it never finished")

    def freed(self, message: Message, given: Given, renewals: int, *, itself: bool) -> None:
        """So many deliveries before this one only renewed its fence; it counts itself unless it was given back."""
        before = [
            one for one in message.givens if one.consumer == given.consumer and not one.freed and one is not given
        ]
        for one in before[len(before) - renewals :]:
            one.freed = True
        given.freed = itself

    def buried(self, message: Message, given: Given | None, reason: str) -> None:
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
        elif given is None or given.run is None or not given.run.has_failed:
            self.violate("dead-unfailed", told)

    def registered(self, process: str, consumer: str) -> None:
        self.process_of[consumer] = process
        self.renewed[consumer] = self._clock()
        self.tell(f"{process} registers {consumer}")

    def renews(self, process: str, consumer: str) -> None:
        self.renewed[consumer] = self._clock()
        self.lives[process] = consumer
        if consumer in self.lost:
            self.violate("renewed-after-loss", consumer)

    def taken_over(self, consumer: str) -> None:
        if consumer in self.renewed and consumer not in self.lost and self.healthy(consumer):
            self.violate("healthy-swept", consumer)
        self.lost.add(consumer)

    def taken_away(self, consumer: str) -> None:
        """By a foreign hand, with all that it had."""
        self.tainted.add("consumer")
        for entry, (owner, _) in (self.last.pending or {}).items():
            if owner == consumer and entry in self.entries:
                self.entries[entry].foreign = True
                self.current[entry] = None

    def group_gone(self) -> None:
        """By a foreign hand."""
        self.tainted.add("group")
        self.current.clear()
        for message in self.messages.values():
            message.foreign = True

    def group_made(self) -> None:
        """From the beginning: also after somebody deleted what was remembered of another."""
        for message in self.messages.values():
            message.forced = len(message.givens)

    def deleted(self, key: str) -> None:
        """By a foreign hand."""
        self.tainted.add(key)
        if key == "uncharged":
            for message in self.messages.values():
                message.uncounted = True

    def held_by(self, process: str) -> list[str]:
        """Messages that it has."""
        lives = {one for one, of in self.process_of.items() if of == process} - self.over
        pending = {} if self.tainted else self.last.pending or {}
        return [self.entries[one].name for one, (owner, _) in pending.items() if owner in lives]

    def look(self, seen: Seen) -> None:
        """After something has changed: what is there must fit together."""
        before, self.last = self.last.pending or {}, seen
        for entry, body in seen.entries.items():
            if entry not in self.entries:
                self.message_of(entry, (b"data", body))
        for entry, (owner, count) in (seen.pending or {}).items():
            if entry in self.entries:
                self._compare(entry, before.get(entry), owner, count)
        if self.tainted or seen.pending is None:
            return
        parked = {entry for entry, (owner, _) in seen.pending.items() if owner == PARKED}
        if parked != seen.due:
            self.violate("index-differs", f"parked {sorted(parked)}, due {sorted(seen.due)}")
        for entry in seen.entries:
            if entry in self.current and entry not in seen.pending:
                self.violate("dropped", f"{self.entries[entry].name} was delivered and is pending nowhere")

    def _compare(self, entry: bytes, before: tuple[str, int] | None, owner: str, count: int) -> None:
        message = self.entries[entry]
        if before is not None and count < before[1] and not self.tainted:
            self.violate("count-fell", f"{message.name}: from {before[1]} to {count}")
        if owner not in STATES:
            return
        given = self.current.get(entry)
        if given is not None:
            given.lost = owner == SUSPECT
            self.tell(f"{message.name} is {'lost' if given.lost else 'taken'} from {given.consumer}")
            self.current[entry] = None
        if count >= FORCE and (before is None or count > before[1] + 1):
            message.forced = len(message.givens)
            self.tell(f"{message.name} is brought back by force as {count}")
