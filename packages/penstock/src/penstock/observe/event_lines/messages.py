"""Lines of workers about messages, and about the child processes that run them."""

from __future__ import annotations

from penstock.observe.event_lines.define import AT, PIPELINE, SECONDS, TYPE, Topic, debug, error, info, warning
from penstock.observe.events import Event

MESSAGE = Topic(
    "A message",
    {
        Event.MESSAGE_STARTED: debug(
            "The handler starts", "worker", subject="message", entry="the entry's id in the stream"
        ),
        Event.MESSAGE_ENDED: debug(
            "The attempt ended",
            "worker",
            subject="message",
            outcome="as the label `outcome` of `penstock_handling_seconds`",
            seconds=SECONDS,
        ),
        Event.MESSAGE_FAILED: warning("The handler failed", "worker", subject="message", error=TYPE, at=AT),
        Event.MESSAGE_TIMED_OUT: warning(
            "The handler exceeded its timeout of {timeout}", "worker", subject="message", timeout="`work.timeout`"
        ),
        Event.MESSAGE_CRASHED: warning(
            "The message's process crashed: {how}", "worker", subject="message", how="how the process ended"
        ),
        Event.MESSAGE_UNREADABLE: warning(
            "The message cannot be read",
            "worker",
            subject="message",
            reason="why, in a word",
            detail="the place in the body and the problem",
        ),
        Event.MESSAGE_NEWER: warning(
            "A newer Penstock sent the message; it waits for a worker that can read it",
            "worker",
            subject="message",
            detail="its version, and the one that this worker knows",
            wait_ms="milliseconds until it is ready again",
        ),
        Event.MESSAGE_DEAD: error(
            "The message is dead: it will not be retried. See `penstock dlq`",
            "worker",
            subject="message",
            reason="`failed`, `refused` by the handler, `unreadable` or `lost`",
            error="the type of its last exception, or why there was none",
            at=AT,
            entry="its id in the stream",
            dead_letter="its id in the stream of dead letters; absent when Redis's answer was lost",
        ),
        Event.MESSAGE_NOT_BURIED: error(
            "The dead letters have reached `dead_letter.limit`: the message is retried in a minute. See `penstock dlq`",
            "worker",
            subject="message",
            reason="`failed`, `refused` by the handler, `unreadable` or `lost`",
            error="the type of its last exception, or why there was none",
            at=AT,
            entry="its id in the stream",
        ),
        Event.MESSAGE_NOT_CLASSIFIED: error(
            "The exception cannot be inspected; treating it as any failure",
            "worker",
            subject="message",
            error="the type of what inspecting it raised",
            at=AT,
        ),
        Event.HANDLER_ABANDONED: warning(
            "The handler ignores its cancellation; it runs on and keeps its slot",
            "worker",
            subject="message",
            handler="`function` or `coroutine`",
        ),
        Event.CANCELLATION_SWALLOWED: warning(
            "The handler was cancelled and returned without an error; its message does not count as done",
            "worker",
            subject="message",
            why="`timeout`, `drain` or `lost`",
        ),
        Event.MIDDLEWARE_FAILED: error(
            "A middleware's `on_error` failed; the handler's failure counts",
            "worker",
            subject="message",
            middleware="its class",
            error=TYPE,
            at=AT,
        ),
    },
)


MESSAGES = Topic(
    "Many messages",
    {
        Event.MESSAGES_LOST: error(
            "Messages are lost: somebody deleted or trimmed them",
            "worker",
            "janitor",
            count="how many",
            state="`unread` (new), `pending` (running, ready or suspect) or `waiting` (parked or delayed)",
            pipeline=PIPELINE,
            stream="the stream's key",
        ),
        Event.MESSAGES_GIVEN_BACK: warning(
            "Gave back messages that this worker owned and did not run", "worker", count="how many"
        ),
        Event.MESSAGES_TAKEN_OVER: warning(
            "Took over messages of consumers whose lease expired",
            "worker",
            "janitor",
            messages="messages that are suspects now",
            consumers="consumers that were removed",
            lost="messages that somebody had deleted",
            pipeline=PIPELINE,
        ),
        Event.MESSAGES_RECONCILED: warning(
            "Repaired what differed from the pending list",
            "worker",
            "janitor",
            pipeline=PIPELINE,
            parked_without_due="parked messages that had no due time",
            due_without_parked="due times of messages that are not parked",
            brought_back="unfinished messages that were not pending",
            finished_elsewhere="messages that another group finished",
            finished_beside="messages that were finished while another group read the stream",
            delayed_without_due="delayed messages that had no due time",
            due_without_body="due times of messages that are not delayed",
            forgotten="notes on messages that are not pending",
            gone="unfinished messages that were deleted",
        ),
        Event.OUTCOMES_FENCED: warning(
            "Outcomes were ignored: other workers own the messages",
            "worker",
            step="the script",
            count="how many",
            entries="ids in the stream, ten at most",
        ),
        Event.OUTCOMES_GONE: warning(
            "Outcomes were ignored: the messages are not pending",
            "worker",
            step="the script",
            count="how many",
            entries="ids in the stream, ten at most",
        ),
    },
)


ISOLATION = Topic(
    "Child processes",
    {
        Event.ISOLATION_FAILED: error("Cannot start child processes: {error}; retrying", "worker", error="why not"),
        Event.ISOLATION_RECOVERED: info("Child processes start again", "worker"),
        Event.ISOLATION_SLOW: warning(
            "Each child process imports the handler by itself, which is slow", "worker", reason="why it must"
        ),
    },
)
