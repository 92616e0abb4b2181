"""What a handler is told beside its message, and what it can say."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.clocks import CLOCKS, Clocks
from penstock.isolation.runs import CancelReason
from penstock.message.form import Form
from penstock.message.own import own_of
from penstock.message.unreadable import Unreadable
from penstock.observe.about import fields_of_message
from penstock.observe.logs import Log
from penstock.worker.correlation import correlation_of
from penstock.worker.delivery import Delivery, Result
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.values.quantities import Duration

if TYPE_CHECKING:
    from opentelemetry.trace import Span

KEPT = "1h"


@dataclass(frozen=True, slots=True)
class Progress:
    """What a handler says on its way."""

    says: str = ""
    done: float | None = None
    total: float | None = None

    def __str__(self) -> str:
        """In a few words."""
        share = "" if self.done is None else f"{self.done:g}" + ("" if self.total is None else f" of {self.total:g}")
        return ", ".join(part for part in (share, self.says) if part)


@dataclass(frozen=True, slots=True)
class MessageSettings:
    """What all messages of a pipeline have in common."""

    logger: logging.Logger
    log_fields: Sequence[str]
    """Fields of a body that logs may carry."""
    correlate: str | None
    """The field that holds the correlation."""
    makes_for: str = ""
    """The stream whose entries get a correlation where their senders gave none."""
    clocks: Clocks = CLOCKS
    form: Form | None = None
    """Reads a message for the log that was not read before; it checks no schema."""

    @classmethod
    def of(cls, spec: Pipeline, clocks: Clocks = CLOCKS, form: Form | None = None) -> MessageSettings:
        """Take them from a spec."""
        message = spec.message
        makes_for = spec.stream.key if message.correlate and message.make_correlation else ""
        logger = logging.getLogger("penstock.worker")
        unchecked = None if form is None else form.unchecked()
        return cls(logger, message.log_fields, message.correlate, makes_for, clocks, unchecked)


class Context:
    """Given to a handler beside its message."""

    __slots__ = (
        "_body",
        "_delivery",
        "_progress",
        "_settings",
        "_tell",
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
        tell: Callable[[Progress], object] | None = None,
    ) -> None:
        """Made for each message, so what few handlers ask for is made when they do."""
        self._delivery = delivery
        self._settings = settings
        self._tell = tell
        self._progress: Progress | None = None
        self._body: Mapping[str, Any] = {}
        self.deadline = deadline
        """When this attempt's time is over, in monotonic time."""
        self.message_id = ""
        """The message's own id; the entry's where its sender gave none."""
        self.span: Span | None = None
        """The span of this attempt, where OpenTelemetry is installed."""
        self.result: Result | None = None
        """What `leave` was given last."""
        self.why: CancelReason | None = None
        """Why this attempt was cancelled, once it is: its time was over, its lease was lost, or the worker goes."""

    def about(self, body: Mapping[str, Any], message_id: str | None) -> None:
        """The message was read."""
        self._body = body
        self.message_id = message_id or self.entry

    @property
    def correlation(self) -> str | None:
        """The value of the field that `message.correlate` names; made where there is none, if the spec says so."""
        settings = self._settings
        value = self._body.get(settings.correlate) if settings.correlate is not None else None
        if value is not None:
            return str(value)
        return correlation_of(settings.makes_for, self.entry) if settings.makes_for else None

    def log_fields(self) -> Mapping[str, object]:
        """What every line about this message says; see `penstock.observe.about`."""
        if not self.message_id:
            self._read()
        chosen = {name: self._body[name] for name in self._settings.log_fields if name in self._body}
        return fields_of_message(self.message_id or self.entry, self.attempt, self.correlation, chosen)

    def _read(self) -> None:
        """For the log of a message that runs in a child, was never started, or does not fit its schema."""
        form, fields = self._settings.form, self._delivery.fields
        try:
            received = None if form is None else form.read(fields)
            self.about(received.value if received else {}, (received.own if received else own_of(fields)).id)
        except Unreadable:
            with suppress(Unreadable):
                self.about({}, own_of(fields).id)

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
        """Grows with each delivery of a message; an effect with a smaller one comes too late."""
        return self._delivery.count

    @property
    def lost(self) -> bool:
        """Whether another worker has taken this message over, or may have: what is done now may be done twice."""
        return self.why == "lost"

    @property
    def cancelled(self) -> bool:
        """Whether to stop. A plain function looks at this now and then; others are cancelled."""
        return self.why is not None

    @property
    def remaining(self) -> float:
        """Seconds until this attempt's time is over."""
        return max(0.0, self.deadline - self._settings.clocks.monotonic())

    @property
    def log(self) -> Log:
        """A logger whose lines say which message they are about."""
        return Log(self._settings.logger, self)

    @property
    def told(self) -> Progress | None:
        """What was said last by `progress`."""
        return self._progress

    def progress(self, says: str = "", *, done: float | None = None, total: float | None = None) -> None:
        """Say how far this is; a draining worker tells it."""
        self._progress = Progress(says, done, total)
        if self._tell is not None:
            self._tell(self._progress)

    def heard(self, told: Progress) -> None:
        """Said in the child process where this attempt runs."""
        self._progress = told

    def leave(self, result: Any, *, keep: str | Duration = KEPT) -> None:  # noqa: ANN401 - whatever JSON can say
        """Leave a result for the sender, for a time.

        It is written in the step that settles this message: together with it, once, and only while the message is still
        this worker's.
        """
        stays = Duration(str(keep)).amount
        if not stays:
            raise ValueError("`keep` of a result is `0s`: say how long it stays, or leave none")
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        self.result = Result(text, stays)
