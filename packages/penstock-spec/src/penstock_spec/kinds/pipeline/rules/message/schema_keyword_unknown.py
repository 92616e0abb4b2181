"""A message schema has an unknown keyword.

Validators silently ignore keywords that they do not know: `requird: [job_id]` requires nothing, so a body without
`job_id` is sent, delivered and fails in the handler. The worst case is `modle: media.models:Job`: without `model`, the
section is a JSON Schema that accepts every body.

Correct the keyword. Describe the fields of a body under `properties`. Start keywords for other tools with `x-`. If the
schema comes from code, correct the model and write the file again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from penstock_spec.context import SpecContext
from penstock_spec.fields import nearest
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import file_of, problem_in_schema, schema_of
from penstock_spec.kinds.pipeline.message.schema_keywords import KEYWORDS, UnknownKeyword, unknown_keywords
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import HANDLER, printable

MOST = 20
"""The most keywords that are reported for one schema."""


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    file, unknown = file_of(subject), list(islice(unknown_keywords(schema_of(subject)), MOST))
    model = next((keyword for keyword in unknown if file is None and _is_model(keyword)), None)
    if model is not None:
        message = f"`{printable(model.name)}` is not a keyword, so this is a JSON Schema that accepts every body"
        yield _at_keyword(subject, model, message, "write `model` to use a schema from code")
        return
    for keyword in unknown:
        message = f"`{printable(keyword.name)}` is not a JSON Schema keyword and is ignored"
        if file is None:
            yield _at_keyword(subject, keyword, message, _hint(keyword))
        else:
            where = "/".join(str(step) for step in keyword.path)
            yield problem_in_schema(
                subject,
                (),
                f"`{printable(file)}`: {message} (at `/{printable(where)}`)",
                f"in the model, {_hint(keyword)}",
            )


def _at_keyword(subject: SpecContext[Pipeline], keyword: UnknownKeyword, message: str, hint: str) -> Problem:
    """A finding that marks the keyword instead of its value."""
    problem = problem_in_schema(subject, keyword.path, message, hint)
    place = subject.layers.place(("message", "schema", *keyword.path))
    return problem._replace(at=place.name) if place else problem


def _is_model(keyword: UnknownKeyword) -> bool:
    """True if `model` was probably meant: a similar keyword at the root, or a value like `module:name`."""
    top, value = len(keyword.path) == 1, keyword.value
    close = nearest(keyword.name.lower(), KEYWORDS | {"model"}) == "model"
    return top and isinstance(value, str) and (close or bool(HANDLER.fullmatch(value)))


def _hint(keyword: UnknownKeyword) -> str:
    if keyword.close is not None:
        return f"write `{keyword.close}`"
    if isinstance(keyword.value, dict):
        return "move it to `properties` if it is a field of the body, or remove it"
    return "remove it, or rename it to `x-...` if another tool reads it"
