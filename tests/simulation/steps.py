"""Translates executed commands for the truth: which process took which step with which entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from penstock.wire.command import Argument
from penstock.wire.errors import Refused, Reply

from .records import DeliveryRecord
from .truth import Truth

QUIET = frozenset({"measure", "lead"})
"""Scripts that change nothing relevant."""


class Steps:
    """Reads commands and their replies."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth

    def see(self, process: str, name: str, words: Sequence[Argument], reply: Reply | Refused) -> bool:
        """Read an executed command; return whether it may have changed something relevant."""
        if isinstance(reply, Refused):
            return False
        if name == "XREADGROUP":
            return self._read(process, str(words[3]), reply)
        if words[0] not in ("EVALSHA", "EVAL"):
            return False
        args = words[3 + int(words[2]) :]
        read = READ.get(name)
        return name not in QUIET if read is None else read(self, process, args, reply)

    def _read(self, process: str, consumer: str, reply: Reply) -> bool:
        if reply is None:
            return False
        ((_, entries),) = cast("list[tuple[bytes, list[tuple[bytes, list[bytes]]]]]", reply)
        for entry, fields in entries:
            self._truth.delivered(DeliveryRecord(entry, consumer, 1, process, ""), fields)
        return True

    def claim(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        if not isinstance(reply, list):
            return False
        consumer = str(args[1])
        for row in cast("list[tuple[bytes, int, int, bytes, list[bytes], int, int]]", reply[2:]):
            entry, count, _, source, fields, _, _ = row
            if consumer in self._truth.lost:
                self._truth.violate("claimed-after-loss", f"{consumer} claims after its takeover")
            self._truth.delivered(DeliveryRecord(entry, consumer, count, process, source.decode()), fields)
        return len(reply) > 2 or reply[0] != 0

    def settle(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        return self._leave("settle", process, args, tuples(args[5:], 2), reply)

    def settle_with(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        return self._leave("settle", process, args, tuples(args[-2:], 2), reply)

    def park(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        return self._leave("park", process, args, tuples(args[5:], 5), reply)

    def give_back(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        return self._leave("give back", process, args, tuples(args[4:], 4), reply)

    def bury(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        answers: list[Reply] = [
            1 if isinstance(one, bytes) else one for one in cast("list[Reply]", reply)
        ]  # a dead letter's id
        return self._leave("bury", process, args, tuples(args[-2:], 2), answers)

    def _leave(
        self, step: str, process: str, args: Sequence[Argument], rows: list[tuple[Argument, ...]], reply: Reply
    ) -> bool:
        truth, consumer = self._truth, str(args[1])
        answers = cast("list[Reply]", reply)
        for row, answer in zip(rows, answers, strict=True):
            entry, count = cast("bytes", row[0]), int(row[1])
            message = truth.entries.get(entry)
            if message is None:
                continue
            effect = "" if answer == 1 else ", fenced: it is gone" if answer == 0 else f", fenced: it is {answer!r}"
            reason = reason_of(args) if step == "bury" else ""
            truth.log(f"{process}: {step} {message.name} as {count} of {consumer} {reason}".rstrip() + effect)
            if answer == 0 and step == "settle":
                truth.settled_in_vain(process, message)
            if answer != 1:
                continue
            record = truth.left_running(step, process, consumer, entry, count)
            if step == "settle":
                truth.settled(process, message)
            elif step == "bury":
                truth.buried(message, record, reason)
            elif record is not None:
                parked = step == "park"
                if parked:
                    truth.parked(message, int(row[2]) / 1000, crashed=int(row[4]) == 1)
                truth.freed(message, record, int(row[3 if parked else 2]), itself=not parked)
        return 1 in answers

    def register(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        if reply == 1:
            self._truth.registered(process, str(args[1]))
        return False

    def renew(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        if reply == 1:
            self._truth.renewed_lease(process, str(args[0]))
        else:
            self._truth.noticed(str(args[0]))
            self._truth.log(f"{process} cannot renew {args[0]!s}")
        return False

    def overdue(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        del args
        _, adopted, *over = cast("list[int | bytes]", reply)
        if adopted or over:
            self._truth.log(f"{process} sees {over} expired, and gives {adopted!r} a lease")
        return False

    def take_over(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        answer, suspects, gone, _ = cast("list[bytes | int]", reply)
        consumer = args[2].decode() if isinstance(args[2], bytes) else str(args[2])
        result = answer.decode() if isinstance(answer, bytes) else str(answer)
        self._truth.log(f"{process} takes over {consumer}: {result}, {suspects!r} suspects, {gone!r} gone")
        if result not in ("done", "more"):
            return False
        self._truth.taken_over(consumer)
        return True

    def promote(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        del args
        _, promoted, entered, lost, *_ = cast("list[int]", reply)
        if promoted or entered or lost:
            self._truth.log(f"{process} promotes {promoted} parked and {entered} delayed, {lost} lost")
        return bool(promoted or entered or lost)

    def ensure(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        del args
        if reply != b"there":
            self._truth.log(f"{process} creates the group: {reply!r}")
            if reply == b"made":
                self._truth.group_created()
        return reply != b"there"

    def adopt(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        for entry, answer in zip(args[2:], cast("list[Reply]", reply), strict=True):
            if answer == 1:
                self._truth.adopted(process, str(args[1]), cast("bytes", entry))
        return 1 in cast("list[Reply]", reply)

    def remember(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        del process, args
        if isinstance(reply, int) and reply >= 0:
            self._truth.remembered()
        return False

    def send(self, process: str, args: Sequence[Argument], reply: Reply) -> bool:
        for answer in cast("list[Reply]", reply):
            if isinstance(answer, (bytes, int)):
                message = self._truth.messages[str(args[5]).partition("-")[0]]
                self._truth.entered(message)
                self._truth.log(f"{process} sends {message.name}: {answer!r}")
        return True


READ: dict[str, Callable[[Steps, str, Sequence[Argument], Reply], bool]] = {
    "claim": Steps.claim,
    "settle": Steps.settle,
    "settle_with": Steps.settle_with,
    "park": Steps.park,
    "give_back": Steps.give_back,
    "bury": Steps.bury,
    "register": Steps.register,
    "renew": Steps.renew,
    "overdue": Steps.overdue,
    "take_over": Steps.take_over,
    "promote": Steps.promote,
    "ensure": Steps.ensure,
    "remember": Steps.remember,
    "adopt": Steps.adopt,
    "send": Steps.send,
}


def reason_of(args: Sequence[Argument]) -> str:
    """The reason of a dead letter, from its values."""
    values = [one if isinstance(one, bytes) else str(one).encode() for one in args[5 : 5 + abs(int(args[4]))]]
    return values[values.index(b"penstock-dead-reason") + 1].decode()


def tuples(values: Sequence[Argument], step: int) -> list[tuple[Argument, ...]]:
    return [tuple(values[at : at + step]) for at in range(0, len(values), step)]
