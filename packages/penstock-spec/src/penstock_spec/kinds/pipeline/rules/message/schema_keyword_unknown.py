"""A message's schema has a word that JSON Schema does not know.

A validator passes over words that it does not know, in silence: `requird: [job_id]` requires nothing, and a body
without `job_id` is sent, delivered and fails in the handler. The worst of them is `modle: media.models:Job`. Without
`model` the whole is taken as a JSON Schema, one that lets every body pass.

Write the keyword that is meant. The fields of a body stand under `properties`. A word for other tools starts with
`x-`. Where the schema comes from code, put it right in the model, and write the file again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from penstock_spec.context import SpecContext
from penstock_spec.fields import nearest
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import file_of, problem_in_schema, schema_of
from penstock_spec.kinds.pipeline.message.schema_keywords import KEYWORDS, Unknown, unknown
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import HANDLER, printable

MOST = 20
"""Words that are told of one schema."""


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    file, words = file_of(subject), list(islice(unknown(schema_of(subject)), MOST))
    model = next((one for one in words if file is None and _is_model(one)), None)
    if model is not None:
        message = f"`{printable(model.word)}` is no keyword, so this is a JSON Schema that lets every body pass"
        yield _at_word(subject, model, message, "write `model`, to take the schema from code")
        return
    for one in words:
        message = f"`{printable(one.word)}` is no keyword of JSON Schema, and is passed over"
        if file is None:
            yield _at_word(subject, one, message, _way_out(one))
        else:
            where = "/".join(str(step) for step in one.path)
            yield problem_in_schema(
                subject,
                (),
                f"`{printable(file)}`: {message} (at `/{printable(where)}`)",
                f"in the model, {_way_out(one)}",
            )


def _at_word(subject: SpecContext[Pipeline], one: Unknown, message: str, hint: str) -> Problem:
    """The word is wrong, not its value."""
    found = problem_in_schema(subject, one.path, message, hint)
    place = subject.layers.place(("message", "schema", *one.path))
    return found._replace(at=place.name) if place else found


def _is_model(one: Unknown) -> bool:
    """At the top, a word like `model`, or the name of something in code."""
    top, value = len(one.path) == 1, one.value
    close = nearest(one.word.lower(), KEYWORDS | {"model"}) == "model"
    return top and isinstance(value, str) and (close or bool(HANDLER.fullmatch(value)))


def _way_out(one: Unknown) -> str:
    if one.close is not None:
        return f"write `{one.close}`"
    if isinstance(one.value, dict):
        return "put it under `properties` if it is a field of the body, or take it out"
    return "take it out, or write it as `x-...` if another tool reads it"
