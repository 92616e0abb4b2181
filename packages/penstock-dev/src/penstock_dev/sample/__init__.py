"""A body made up from a JSON Schema, for keys that send. It fits, or none is made: nobody is sent rubbish by a key.

What a handler wants beyond the schema, its `examples` show: a body has what one of them has, and the rest is made up.
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
"""What speaks of several values at once, as `not` and `if` do, is met by trying again."""


def sample(schema: dict[str, Any], chance: Random, fresh: Collection[str] = ()) -> dict[str, Any]:
    """One that the schema takes, and most likely another one each time; examples give no `fresh` fields.

    Raises CannotGoOn.
    """
    check = DRAFTS[str(schema.get("$schema", NEWEST)).rstrip("#")](json.dumps(schema))
    examples = [one for one in schema.get("examples", ()) if isinstance(one, dict)]
    why = ""
    for number in range(TRIES):
        shown = chance.choice(examples) if examples and number < TRIES // 2 else None
        try:
            body = SampleMaker(schema, chance, full=shown is None and number % 2 == 0).body()
        except SampleError as found:
            why = str(found)
            continue
        body |= {name: value for name, value in (shown or {}).items() if name not in fresh}
        try:
            check.validate(body)
        except compiled.ValidationError as found:
            why = f"`{found.kind.name}` is too much to ask"
        else:
            return body
    raise CannotGoOn(
        f"no message could be made up that fits the schema: {why}",
        "send one of your own with `penstock send`; what is asked for by `pattern` is best kept simple",
    )
