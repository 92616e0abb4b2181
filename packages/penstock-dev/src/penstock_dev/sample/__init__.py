"""Generates sample messages from a JSON Schema. A sample always fits the schema, or there is an error.

If the schema has `examples`, a sample contains one of them, as handlers may need more than the schema requires.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from random import Random
from typing import Any

import jsonschema_rs as compiled

from penstock_dev.sample.errors import SampleError
from penstock_dev.sample.maker import SampleMaker
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.message.schema_check import DRAFTS, NEWEST

TRIES = 40
"""Keywords over several values, such as `not` and `if`, are satisfied by repeated attempts."""


def sample(schema: dict[str, Any], random: Random, unique: Collection[str] = ()) -> dict[str, Any]:
    """A random message that fits the schema. The `unique` fields never come from an example.

    Raises CannotGoOn.
    """
    check = DRAFTS[str(schema.get("$schema", NEWEST)).rstrip("#")](json.dumps(schema))
    examples = [one for one in schema.get("examples", ()) if isinstance(one, dict)]
    why = ""
    for number in range(TRIES):
        example = random.choice(examples) if examples and number < TRIES // 2 else None
        try:
            body = SampleMaker(schema, random, full=example is None and number % 2 == 0).body()
        except SampleError as error:
            why = str(error)
            continue
        body |= {name: value for name, value in (example or {}).items() if name not in unique}
        try:
            check.validate(body)
        except compiled.ValidationError as error:
            why = f"no sample satisfies `{error.kind.name}`"
        else:
            return body
    raise CannotGoOn(
        f"cannot generate a sample message: {why}",
        "send your own with `penstock send`; simple patterns work best",
    )
