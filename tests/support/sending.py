"""A pipeline to send to, and the entries in its Redis afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Protocol

from event_loop import until
from raw_client import Reply
from targets import Target

from penstock.keys import PipelineKeys
from penstock.maintenance.group import ensure_group
from penstock.maintenance.promote import PromoteResult, promote
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline

STREAM = "jobs"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["job"],
    "properties": {"job": {"type": "string"}, "n": {"type": "integer"}},
}
DEDUP: dict[str, Any] = {"by": "job", "window": "1h"}


class AnswersCommands(Protocol):
    """Something that answers commands: a server or a target."""

    def ask(self, *command: str | bytes | float) -> Reply:
        """Send a command and return its reply with decoded texts."""
        ...


class Entry(NamedTuple):
    """One entry of the stream."""

    id: str
    fields: dict[str, str]

    @property
    def ms(self) -> int:
        """The Redis time at which it entered, in ms."""
        return int(self.id.partition("-")[0])


def pipeline(
    *,
    message: Mapping[str, Any] | None = None,
    backlog: Mapping[str, Any] | None = None,
    keep: object = "until-done",
    send: Mapping[str, Any] | None = None,
) -> Pipeline:
    """A pipeline whose sends are retried at once, so that tests do not wait."""
    return Pipeline.model_validate(
        {
            "kind": "pipeline",
            "name": "trial",
            "owner": {"team": "tests"},
            "handler": "handlers:handle",
            "image": "registry.example/trial:1.0.0",
            "stream": {"key": STREAM, "group": "crew", "retention": {"keep": keep}, "backlog": dict(backlog or {})},
            "message": {"schema": SCHEMA, **(message or {})},
            "send": {"attempts": 3, "backoff": {"first": "10ms", "factor": 1}, **(send or {})},
            "dead_letter": {"key": f"{{{STREAM}}}:dead"},
        }
    )


def keys_of(spec: Pipeline) -> PipelineKeys:
    """The Redis keys of a pipeline."""
    return PipelineKeys.of(spec)


def entries(redis: AnswersCommands) -> list[Entry]:
    """All entries of the stream."""
    reply = redis.ask("XRANGE", STREAM, "-", "+")
    assert isinstance(reply, list)
    return [_entry(one) for one in reply]


def _entry(reply: Reply) -> Entry:
    assert isinstance(reply, list)
    id_, flat = reply
    assert isinstance(id_, str)
    assert isinstance(flat, list)
    words = [str(word) for word in flat]
    return Entry(id_, dict(zip(words[::2], words[1::2], strict=True)))


def number(redis: AnswersCommands, *command: str | bytes | float) -> int:
    """Send a command whose reply is a number."""
    reply = redis.ask(*command)
    assert isinstance(reply, int), reply
    return reply


def jobs(count: int) -> list[dict[str, Any]]:
    """This number of different bodies."""
    return [{"job": f"job-{n}", "n": n} for n in range(count)]


@asynccontextmanager
async def with_group(target: Target, spec: Pipeline) -> AsyncIterator[Link]:
    """Create the pipeline's group and yield a link."""
    link = target.link(STREAM)
    await ensure_group(link, keys_of(spec), spec)
    yield link
    await link.close()


async def until_entered(link: Link, spec: Pipeline) -> PromoteResult:
    """Promote delayed messages until one enters; return that result."""
    results: list[PromoteResult] = []

    async def entered() -> bool:
        results.append(await promote(link, keys_of(spec)))
        return results[-1].entered > 0

    await until(entered, "a delayed message enters")
    return results[-1]
