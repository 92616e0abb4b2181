"""A body made up from a JSON Schema, for keys that send. It fits, or none is made: nobody is sent rubbish by a key."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import jsonschema_rs as compiled

from penstock_dev.sample.cannot import CannotMake
from penstock_dev.sample.make import Maker
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.message.schema_check import DRAFTS, NEWEST

TRIES = 40
"""What speaks of several values at once, as `not` and `if` do, is met by trying again."""


def sample(schema: dict[str, Any], chance: Random) -> dict[str, Any]:
    """One that the schema takes, and most likely another one each time. Raises CannotGoOn."""
    check = DRAFTS[str(schema.get("$schema", NEWEST)).rstrip("#")](json.dumps(schema))
    why = ""
    for number in range(TRIES):
        try:
            body = Maker(schema, chance, full=number % 2 == 0).body()
        except CannotMake as found:
            why = str(found)
            continue
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
