"""Workers read every valid body as the sender wrote it."""

import json
from typing import Any

from event_loop import run_async
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sending import entries, pipeline
from targets import Target

from penstock.message.encoding import encoding_of
from penstock.producer import Producer, Sent
from penstock_spec.kinds.pipeline.spec import Pipeline

FEW_EXAMPLES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
BODIES = st.lists(st.dictionaries(TEXTS, VALUES, max_size=6), max_size=8)
FLAT = st.lists(
    st.dictionaries(TEXTS.filter(lambda name: not name.startswith("penstock-")), TEXTS, max_size=6), max_size=8
)


def sent(target: Target, spec: Pipeline, bodies: list[Any]) -> list[dict[str, str]]:
    """Send the bodies; return the fields of the entries in the stream."""

    async def scenario() -> None:
        async with Producer(spec, target.redis, credentials=target.credentials) as producer:
            outcomes = await producer.send_many(bodies)
        assert all(isinstance(outcome, Sent) for outcome in outcomes), outcomes

    target.flush()
    run_async(scenario())
    return [entry.fields for entry in entries(target)]


@FEW_EXAMPLES
@given(bodies=BODIES)
def test_any_json_body_survives_the_stream(target: Target, bodies: list[dict[str, Any]]) -> None:
    """A JSON reader and a worker both read the body, whether it is sent as a dict or as bytes."""
    spec = pipeline(message={"schema": {"type": "object"}})
    encoding = encoding_of(spec.message, {"type": "object"})
    raw = [json.dumps(body).encode() for body in bodies]
    for fields in (sent(target, spec, bodies), sent(target, spec, raw)):
        assert [json.loads(one["data"]) for one in fields] == bodies
        flat = [[word.encode() for field in one.items() for word in field] for one in fields]
        assert [encoding.read(one).value for one in flat] == bodies


@FEW_EXAMPLES
@given(bodies=FLAT)
def test_any_body_survives_as_entry_fields(target: Target, bodies: list[dict[str, str]]) -> None:
    """With `encoding: fields`, each field keeps its name; only fields of Penstock are added."""
    spec = pipeline(message={"schema": {"type": "object"}, "encoding": "fields"})
    stream_fields = sent(target, spec, bodies)
    assert [{name: one[name] for name in one if not name.startswith("penstock-")} for one in stream_fields] == bodies
