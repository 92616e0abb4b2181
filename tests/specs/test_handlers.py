"""The specs of this repository can be run: their handlers and models are there, and do what they say."""

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
    """With examples/ on the path, `module:function` is a function of two."""
    handler = examples(resolved(name, "production").handler)
    assert inspect.isfunction(handler)
    assert len(inspect.signature(handler).parameters) == 2


def test_no_example_is_left_without_a_spec(resolved: Resolve) -> None:
    """Every package of examples/ is some spec's."""
    named = {resolved(name, "production").handler.partition(".")[0] for name in SPECS}
    assert {path.name for path in (ROOT / "examples").iterdir() if path.is_dir()} == named


def test_a_model_has_its_schema_written(resolved: Resolve, examples: Examples) -> None:
    """The file beside the spec is what the code says, so that sender and worker mean the same."""
    schema = resolved("media-cluster", "production").message.schema_
    written = json.loads((ROOT / "specs" / schema.file).read_text(encoding="utf-8"))
    assert written == TypeAdapter(examples(schema.model)).json_schema()


def test_a_late_delivery_clusters_nothing(examples: Examples) -> None:
    """What has a smaller fence than what was there before comes too late."""
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


def test_a_run_goes_on_at_its_checkpoint(examples: Examples) -> None:
    """A worker that lost the run stops; the next begins where it was, and leaves nothing behind."""
    execute, checkpoints = examples("agents.execution:execute"), examples("agents.execution:checkpoints")
    run = {"agent_id": "a", "correlation_id": "c", "action": "start", "input": {"one": 1, "two": 2, "three": 3}}
    checkpoints["c"] = 2
    asyncio.run(execute(run, SimpleNamespace(lost=True)))
    assert checkpoints == {"c": 2}
    asyncio.run(execute(run, SimpleNamespace(lost=False)))
    assert checkpoints == {}


@pytest.mark.parametrize("name", [name for name in SPECS if (ROOT / f"generated/dev/{name}/schema.json").is_file()])
def test_what_a_key_of_the_screen_sends_is_done(name: str, resolved: Resolve, examples: Examples) -> None:
    """Handlers take what `penstock dev` makes up for them, and need neither a network nor a program for it."""
    model = resolved(name, "dev")
    schema = json.loads((ROOT / f"generated/dev/{name}/schema.json").read_text(encoding="utf-8"))
    handler = examples(model.handler)
    context = SimpleNamespace(attempt=1, fence=1, lost=False)
    chance = Random(5)  # noqa: S311 - made up, not secret
    for _ in range(5):
        body = sample(schema, chance, {model.message.correlate})
        of_a_model = getattr(model.message.schema_, "model", None)
        job = examples(of_a_model).model_validate_json(json.dumps(body)) if of_a_model else body
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
def test_what_can_never_work_is_not_tried_again(
    spec: str, job: dict[str, str], resolved: Resolve, examples: Examples
) -> None:
    """The handler raises what the spec's class `never` matches."""
    model = resolved(spec, "production")
    with pytest.raises((ValueError, LookupError)) as raised:
        asyncio.run(examples(model.handler)(job, SimpleNamespace(attempt=1)))
    never = model.retries.classes["never"]
    assert never.attempts == 1
    assert {one.__name__ for one in raised.type.__mro__} & set(never.match)
