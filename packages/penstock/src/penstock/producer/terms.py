"""From a spec to what a producer does by it."""

from __future__ import annotations

from penstock.producer.breaker import Limits
from penstock.producer.pace import Backoff
from penstock.producer.trouble import Insistence
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Timeouts


def check(spec: Pipeline) -> None:
    """Linting finds these too. Here they would lose messages that nobody called losable."""
    backlog = spec.stream.backlog
    if backlog.when_full != "drop-oldest":
        return
    if not backlog.lossy:
        raise CannotGoOn(
            f"`{spec.name}` would drop messages that nobody has read, and its spec does not say that it may",
            "add `lossy: true` to `stream.backlog`, or write `when_full: reject` or `wait`",
        )
    if not spec.stream.retention.keeps_nothing:
        raise CannotGoOn(
            f"`{spec.name}` keeps history, where Redis cannot tell the backlog once unread messages were dropped",
            "write `when_full: reject` or `wait`, or `stream.retention.keep: until-done`",
        )


def insistence_of(spec: Pipeline, timeouts: Timeouts) -> Insistence:
    """How a send insists."""
    dedup = spec.message.dedup
    backlog = spec.stream.backlog
    return Insistence(
        attempts=spec.send.attempts,
        backoff=Backoff(spec.send.backoff.first.seconds, spec.send.backoff.factor),
        # A repeated send reaches Redis some time after it was decided on.
        window=dedup.window.seconds - timeouts.connect.seconds - timeouts.answer.seconds if dedup else 0.0,
        limit=backlog.limit,
        waits=backlog.when_full == "wait",
    )


def limits_of(insistence: Insistence, timeouts: Timeouts) -> Limits:
    """When the breaker opens: never before one send has made all its attempts.

    Calls follow each other here, so the time in which they must fail is longer by what they wait, for answers and
    between attempts.
    """
    usual = Limits()
    failures = max(usual.failures, insistence.attempts)
    waits = sum(insistence.backoff.after(attempts) for attempts in range(1, failures))
    asked = failures * (timeouts.connect.seconds + timeouts.answer.seconds)
    return Limits(failures, usual.within + waits + asked, usual.cool_down, usual.trial)
