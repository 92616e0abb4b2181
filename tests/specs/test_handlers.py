"""The specs of this repository run: their handlers and models exist and work."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import TypeAdapter

from penstock_dev.sample import sample

ROOT = Path(__file__).parents[2]
SPECS = [path.stem for path in sorted((ROOT / "specs").glob("*.yaml"))]
Resolve = Callable[[str, str], Any]
Examples = Callable[[str], Any]


@pytest.mark.parametrize("name", SPECS)
def test_a_handler_takes_a_message_and_a_context(name: str, resolved: Resolve, examples: Examples) -> None:
    """With examples/ on the path, `module:function` is a function with two parameters."""
    handler = examples(resolved(name, "production").handler)
    assert inspect.isfunction(handler)
    assert len(inspect.signature(handler).parameters) == 2


def test_every_example_has_a_spec(resolved: Resolve) -> None:
    """A spec names each package of examples/."""
    named = {resolved(name, "production").handler.partition(".")[0] for name in SPECS}
    assert {path.name for path in (ROOT / "examples").iterdir() if path.is_dir()} == named


def test_the_schema_file_of_a_model_is_up_to_date(resolved: Resolve, examples: Examples) -> None:
    """So senders and workers use the same schema."""
    schema = resolved("media-cluster", "production").message.schema_
    written = json.loads((ROOT / "specs" / schema.file).read_text(encoding="utf-8"))
    assert written == TypeAdapter(examples(schema.model)).json_schema()


def test_a_late_delivery_has_no_effect(examples: Examples) -> None:
    """Its fence is smaller than that of a previous delivery."""
    body = {
        "job_id": "01JB6Z3Q0V9K2M4N6P8R0S2T4V",
        "pet_id": "00000000-0000-4000-8000-000000000001",
        "image_ids": ["00000000-0000-4000-8000-000000000002"],
        "reason": "upload",
        "metadata": {"emitted_at": "2026-01-01T00:00:00Z", "source": "auth-service"},
    }
    job = examples("media.models:ClusterJob").model_validate_json(json.dumps(body))
    index = examples("media.clustering:Index")()
    assert asyncio.run(index.add(job, fence=2)) == 1
    index.clusters.clear()
    assert asyncio.run(index.add(job, fence=1)) == 0


def test_a_run_continues_at_its_checkpoint(examples: Examples) -> None:
    """A worker that lost the run stops; the next one continues and leaves nothing behind."""
    execute, checkpoints = examples("agents.execution:execute"), examples("agents.execution:checkpoints")
    run = {"agent_id": "a", "correlation_id": "c", "action": "start", "input": {"one": 1, "two": 2, "three": 3}}
    checkpoints["c"] = 2
    asyncio.run(execute(run, SimpleNamespace(lost=True)))
    assert checkpoints == {"c": 2}
    asyncio.run(execute(run, SimpleNamespace(lost=False)))
    assert checkpoints == {}


@pytest.mark.parametrize("name", [name for name in SPECS if (ROOT / f"generated/dev/{name}/schema.json").is_file()])
def test_handlers_accept_sample_messages(name: str, resolved: Resolve, examples: Examples) -> None:
    """Those of `penstock dev`, without a network or other programs."""
    model = resolved(name, "dev")
    schema = json.loads((ROOT / f"generated/dev/{name}/schema.json").read_text(encoding="utf-8"))
    handler = examples(model.handler)
    context = SimpleNamespace(attempt=1, fence=1, lost=False)
    random = Random(5)  # noqa: S311 - sample data
    for _ in range(5):
        body = sample(schema, random, {model.message.correlate})
        job_model = getattr(model.message.schema_, "model", None)
        job = examples(job_model).model_validate_json(json.dumps(body)) if job_model else body
        done = handler(job, context)
        if inspect.isawaitable(done):
            asyncio.run(finished(done))


async def finished(work: Awaitable[object]) -> None:
    await work


@pytest.mark.parametrize(
    ("spec", "job"),
    [
        ("browser-jobs", {"id": "1", "type": "screenshot", "url": "https:///no-host"}),
        ("jobs", {"id": "1", "type": "no-such-type"}),
    ],
)
def test_permanent_failures_are_not_retried(
    spec: str, job: dict[str, str], resolved: Resolve, examples: Examples
) -> None:
    """The handler raises an exception that the class `never` matches."""
    model = resolved(spec, "production")
    with pytest.raises((ValueError, LookupError)) as raised:
        asyncio.run(examples(model.handler)(job, SimpleNamespace(attempt=1)))
    never = model.retries.classes["never"]
    assert never.attempts == 1
    assert {one.__name__ for one in raised.type.__mro__} & set(never.match)
