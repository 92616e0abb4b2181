"""The context that a handler gets in addition to its message."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.clocks import CLOCKS, Clocks
from penstock.isolation.runs import CancelReason
from penstock.message.encoding import Encoding
from penstock.message.penstock_fields import own_fields_of
from penstock.message.unreadable import Unreadable
from penstock.observe.logs import Log
from penstock.observe.subject import fields_of_message
from penstock.worker.correlation import correlation_of
from penstock.worker.delivery import Delivery, Result
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.values.quantities import Duration

if TYPE_CHECKING:
    from opentelemetry.trace import Span

KEPT = "1h"


@dataclass(frozen=True, slots=True)
class Progress:
    """A handler's report of its progress."""

    says: str = ""
    done: float | None = None
    total: float | None = None

    def __str__(self) -> str:
        """Format it for people."""
        share = "" if self.done is None else f"{self.done:g}" + ("" if self.total is None else f" of {self.total:g}")
        return ", ".join(part for part in (share, self.says) if part)


@dataclass(frozen=True, slots=True)
class MessageSettings:
    """Settings that all messages of a pipeline share."""

    logger: logging.Logger
    log_fields: Sequence[str]
    """Fields of the body that log lines carry."""
    correlate: str | None
    """The field with the correlation."""
    derive_for: str = ""
    """The stream, if messages without a correlation get one; else empty."""
    clocks: Clocks = CLOCKS
    encoding: Encoding | None = None
    """Reads messages for the log that were not read before, without checking the schema."""
    may_be_lost: Callable[[str], bool] = lambda _: False
    """Whether other workers may have taken over the messages of this consumer, by the clock of this process."""
    stops_when_lost: bool = True
    """Whether messages are cancelled then."""

    @classmethod
    def of(
        cls,
        spec: Pipeline,
        clocks: Clocks = CLOCKS,
        encoding: Encoding | None = None,
        may_be_lost: Callable[[str], bool] = lambda _: False,
    ) -> MessageSettings:
        """Read the settings from a spec."""
        message = spec.message
        derive_for = spec.stream.key if message.correlate and message.make_correlation else ""
        logger = logging.getLogger("penstock.worker")
        unchecked = None if encoding is None else encoding.unchecked()
        return cls(
            logger,
            message.log_fields,
            message.correlate,
            derive_for,
            clocks,
            unchecked,
            may_be_lost,
            spec.work.when_lost == "cancel",
        )


class Context:
    """The context of one attempt, which a handler gets in addition to its message."""

    __slots__ = (
        "_body",
        "_delivery",
        "_on_progress",
        "_progress",
        "_settings",
        "deadline",
        "message_id",
        "result",
        "span",
        "why",
    )

    def __init__(
        self,
        delivery: Delivery,
        deadline: float,
        settings: MessageSettings,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> None:
        """Cheap, because each message has one: values that few handlers use are computed on demand."""
        self._delivery = delivery
        self._settings = settings
        self._on_progress = on_progress
        self._progress: Progress | None = None
        self._body: Mapping[str, Any] = {}
        self.deadline = deadline
        """When this attempt exceeds its timeout, in monotonic time."""
        self.message_id = ""
        """The message's own id; the entry's if its sender gave none."""
        self.span: Span | None = None
        """The span of this attempt, if OpenTelemetry is set up."""
        self.result: Result | None = None
        """The last result that was passed to `leave`."""
        self.why: CancelReason | None = None
        """Why this attempt is cancelled: a timeout, a lost lease or a drain; None while it is not."""

    def set_message(self, body: Mapping[str, Any], message_id: str | None) -> None:
        """Set the values that were read from the message."""
        self._body = body
        self.message_id = message_id or self.entry

    @property
    def correlation(self) -> str | None:
        """The value of the field `message.correlate`; if missing, derived if `message.make_correlation` is set."""
        settings = self._settings
        value = self._body.get(settings.correlate) if settings.correlate is not None else None
        if value is not None:
            return str(value)
        return correlation_of(settings.derive_for, self.entry) if settings.derive_for else None

    def log_fields(self) -> Mapping[str, object]:
        """The fields of every log line about this message; see `penstock.observe.subject`."""
        if not self.message_id:
            self._read()
        chosen = {name: self._body[name] for name in self._settings.log_fields if name in self._body}
        return fields_of_message(self.message_id or self.entry, self.attempt, self.correlation, chosen)

    def _read(self) -> None:
        """Read a message for the log, if it runs in a child, was never started, or does not match its schema."""
        encoding, fields = self._settings.encoding, self._delivery.fields
        try:
            received = None if encoding is None else encoding.read(fields)
            self.set_message(
                received.value if received else {}, (received.own if received else own_fields_of(fields)).id
            )
        except Unreadable:
            with suppress(Unreadable):
                self.set_message({}, own_fields_of(fields).id)

    @property
    def entry(self) -> str:
        """The id of the entry in the stream."""
        return self._delivery.id.decode()

    @property
    def attempt(self) -> int:
        """Which attempt this is; the first is 1."""
        return self._delivery.attempt

    @property
    def fence(self) -> int:
        """A fencing token: it grows with each attempt of a message. Refuse effects with a smaller one."""
        return self._delivery.count

    @property
    def lost(self) -> bool:
        """Whether another worker may have taken this message over, so that effects may happen twice.

        Judged at each access by the time since the lease was last renewed, so it is right even if the worker was
        suspended or its event loop is blocked. It becomes false again only if a late renewal shows that nobody has
        taken over.
        """
        return self.why == "lost" or self._settings.may_be_lost(self._delivery.consumer)

    def set_lost(self) -> None:
        """The lease was lost: `lost` stays true, even if this worker gets the message again."""
        self._settings = replace(self._settings, may_be_lost=lambda _: True)

    @property
    def cancelled(self) -> bool:
        """Whether to stop. Plain functions must check this; coroutines are cancelled."""
        return self.why is not None or (self._settings.stops_when_lost and self.lost)

    @property
    def remaining(self) -> float:
        """Seconds until the timeout."""
        return max(0.0, self.deadline - self._settings.clocks.monotonic())

    @property
    def log(self) -> Log:
        """A logger whose lines carry the fields of this message."""
        return Log(self._settings.logger, self)

    @property
    def last_progress(self) -> Progress | None:
        """The last progress."""
        return self._progress

    def progress(self, says: str = "", *, done: float | None = None, total: float | None = None) -> None:
        """Report progress; a draining worker logs it."""
        self._progress = Progress(says, done, total)
        if self._on_progress is not None:
            self._on_progress(self._progress)

    def set_progress(self, progress: Progress) -> None:
        """Set progress that was reported in the child process of this attempt."""
        self._progress = progress

    def leave(self, result: Any, *, keep: str | Duration = KEPT) -> None:  # noqa: ANN401 - any JSON value
        """Leave a result for the sender, which Redis keeps for a time.

        The step that settles this message writes it: once, and only while this worker owns the message.
        """
        keep_ms = Duration(str(keep)).amount
        if not keep_ms:
            raise ValueError("`keep` of a result must not be `0s`")
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        self.result = Result(text, keep_ms)
