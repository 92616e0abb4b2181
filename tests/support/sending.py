"""A pipeline to send to, and what stands in its Redis afterwards."""

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
    """Whatever answers commands: a server, a target."""

    def ask(self, *command: str | bytes | float) -> Reply:
        """A command, and its answer with texts decoded."""
        ...


class Entry(NamedTuple):
    """One entry of the stream."""

    id: str
    fields: dict[str, str]

    @property
    def ms(self) -> int:
        """When it entered, by Redis's clock."""
        return int(self.id.partition("-")[0])


def pipeline(
    *,
    message: Mapping[str, Any] | None = None,
    backlog: Mapping[str, Any] | None = None,
    keep: object = "until-done",
    send: Mapping[str, Any] | None = None,
) -> Pipeline:
    """A pipeline whose attempts follow each other at once, so that tests need not wait."""
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
    """Where it stands."""
    return PipelineKeys.of(spec)


def entries(redis: AnswersCommands) -> list[Entry]:
    """All that is in the stream."""
    told = redis.ask("XRANGE", STREAM, "-", "+")
    assert isinstance(told, list)
    return [_entry(one) for one in told]


def _entry(told: Reply) -> Entry:
    assert isinstance(told, list)
    id_, flat = told
    assert isinstance(id_, str)
    assert isinstance(flat, list)
    words = [str(word) for word in flat]
    return Entry(id_, dict(zip(words[::2], words[1::2], strict=True)))


def number(redis: AnswersCommands, *command: str | bytes | float) -> int:
    """An answer that is a number."""
    told = redis.ask(*command)
    assert isinstance(told, int), told
    return told


def jobs(count: int) -> list[dict[str, Any]]:
    """So many bodies, each different."""
    return [{"job": f"job-{n}", "n": n} for n in range(count)]


@asynccontextmanager
async def with_group(target: Target, spec: Pipeline) -> AsyncIterator[Link]:
    """The pipeline's group is there, and so is a link to look after it."""
    link = target.link(STREAM)
    await ensure_group(link, keys_of(spec), spec)
    yield link
    await link.close()


async def until_entered(link: Link, spec: Pipeline) -> PromoteResult:
    """Look after the delayed messages until one enters; return the look that found it due."""
    looks: list[PromoteResult] = []

    async def entered() -> bool:
        looks.append(await promote(link, keys_of(spec)))
        return looks[-1].entered > 0

    await until(entered, "a delayed message enters")
    return looks[-1]
