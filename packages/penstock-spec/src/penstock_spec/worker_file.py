"""`worker.json`: a resolved spec for pods, with a digest that shows whether it was edited.

The digest covers the content, not the text: a tool may reformat the JSON. It covers only what a running process reads,
so that a new threshold of an alert restarts no pod.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds import kinds
from penstock_spec.model import Section
from penstock_spec.platform import Environment
from penstock_spec.values.json_text import pretty

FORMAT = 1
"""The format that this version writes, and the newest that it reads."""
AROUND = ("namespace", "redis")
"""The fields of an environment that a process reads."""
UNUSED = {"redis": {"memory", "min_replicas", "ports"}}
"""Fields inside these that only the infrastructure needs."""
REMOVED = (("around", "redis", "timeouts", "wait"), ("spec", "work", "clock"))
"""Fields that earlier versions wrote and no process reads: their files stay valid, so that upgrades can compare."""
REGENERATE = "run `penstock generate`; change the spec instead of this file"


@dataclass(frozen=True, slots=True)
class WorkerFile:
    """The content of the file."""

    environment: str
    spec: Any
    """The model of its kind."""
    around: Environment
    schema: dict[str, Any] | None
    """The JSON Schema of the messages, inline or from a file."""
    digest: str


def write(environment: str, spec: Section, around: Environment, schema: dict[str, Any] | None) -> tuple[str, str]:
    """The text of the file, and its digest."""
    kind = kinds()[getattr(spec, "kind")]  # noqa: B009 - a part has none, and every kind's model has one
    spec_data = spec.model_dump(mode="json", by_alias=True, exclude=dict(kind.unused_by_pods))
    content = {
        "format": FORMAT,
        "kind": kind.name,
        "environment": environment,
        "spec": spec_data,
        "around": around.model_dump(mode="json", by_alias=True, include=set(AROUND), exclude=UNUSED),
        "schema": schema,
    }
    digest = _digest(content)
    return pretty({"digest": digest, **content}, sort_keys=True) + "\n", digest


def read(raw: bytes, name: str, *, checked: bool = True) -> WorkerFile:
    """Read the file; errors call it `name`. Set `checked=False` only to inspect an old file, never to run it."""
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or not isinstance(content.get("format"), int):
        raise CannotGoOn(f"`{name}` is not a worker file: it is not JSON with a `format`", REGENERATE)
    if content["format"] > FORMAT:
        says = (
            f"`{name}` was written by a newer Penstock: its format is {content['format']}, and this one reads {FORMAT}"
        )
        raise CannotGoOn(says, "run an image with that Penstock, or write the file with this one")
    written_digest = content.pop("digest", None)
    if checked and written_digest != (digest := _digest(content)):
        raise CannotGoOn(
            f"`{name}` does not match its digest: it says {written_digest}, but its content has {digest}", REGENERATE
        )
    for path in REMOVED:
        _remove(content, path)
    try:
        spec = kinds()[content["kind"]].model.model_validate(content["spec"])
        around = Environment.model_validate(content["around"])
        return WorkerFile(content["environment"], spec, around, content["schema"], str(written_digest))
    except (KeyError, ValidationError) as error:
        says = f"`{name}` does not have the content that this Penstock writes: {_first(error)}"
        raise CannotGoOn(
            says, "run an image with the Penstock that wrote it, or write the file with this one"
        ) from None


def _remove(content: dict[str, Any], path: tuple[str, ...]) -> None:
    at: Any = content
    for key in path[:-1]:
        at = at.get(key) if isinstance(at, dict) else None
    if isinstance(at, dict):
        at.pop(path[-1], None)


def _digest(content: dict[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def _first(error: KeyError | ValidationError) -> str:
    if isinstance(error, KeyError):
        return f"it has no `{error.args[0]}`"
    one = error.errors(include_url=False, include_input=False)[0]
    return f"`{'.'.join(map(str, one['loc']))}`: {one['msg']}"
