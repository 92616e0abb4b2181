"""Derives a producer's policies from the spec."""

from __future__ import annotations

from penstock.producer.breaker import Limits
from penstock.producer.pace import Backoff
from penstock.producer.retrying import SendRetries
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Timeouts


def check(spec: Pipeline) -> None:
    """Refuse a spec that would lose messages silently. Lint reports these specs as well."""
    backlog = spec.stream.backlog
    if backlog.when_full != "drop-oldest":
        return
    if not backlog.lossy:
        raise CannotGoOn(
            f"`{spec.name}` would drop unread messages, and its spec does not allow it",
            "add `lossy: true` to `stream.backlog`, or write `when_full: reject` or `wait`",
        )
    if not spec.stream.retention.keeps_nothing:
        raise CannotGoOn(
            f"`{spec.name}` keeps history, and Redis cannot count the backlog after unread messages were dropped",
            "write `when_full: reject` or `wait`, or `stream.retention.keep: until-done`",
        )


def retries_of(spec: Pipeline, timeouts: Timeouts) -> SendRetries:
    """Return when a send is retried."""
    dedup = spec.message.dedup
    backlog = spec.stream.backlog
    return SendRetries(
        attempts=spec.send.attempts,
        backoff=Backoff(spec.send.backoff.first.seconds, spec.send.backoff.factor),
        # A repeated send may reach Redis this long after the decision to repeat it.
        window=dedup.window.seconds - timeouts.connect.seconds - timeouts.answer.seconds if dedup else 0.0,
        limit=backlog.limit,
        waits=backlog.when_full == "wait",
    )


def limits_of(retries: SendRetries, timeouts: Timeouts, cool_down: float) -> Limits:
    """Return when the breaker opens: never before one send has made all its attempts. `cool_down` is the spec's.

    Calls are sequential, so the window includes the waits for answers and between attempts.
    """
    default = Limits()
    failures = max(default.failures, retries.attempts)
    waits = sum(retries.backoff.after(attempts) for attempts in range(1, failures))
    calls = failures * (timeouts.connect.seconds + timeouts.answer.seconds)
    return Limits(failures, default.within + waits + calls, default.first, cool_down, default.trial)
