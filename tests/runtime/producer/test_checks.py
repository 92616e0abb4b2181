"""What is wrong with a message is said before Redis is asked: here there is none to ask."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from event_loop import run_async
from sending import DEDUP, pipeline

from penstock.embedded import LOOPBACK, free_port
from penstock.producer import NotAsDescribed, Producer, RedisAbsent, TooLarge
from penstock.wire.credentials import Credentials
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis

NOBODY = Redis(addresses=[f"{LOOPBACK}:{free_port()}"])
SECRET = "4111-1111"  # noqa: S105 - what must not be quoted


def send(body: object, spec: Pipeline, correlation: str | None = None) -> str:
    """Send it, and return the words of what was wrong with it."""

    async def scenario() -> str:
        async with Producer(spec, NOBODY, credentials=Credentials()) as producer:
            with pytest.raises((TooLarge, NotAsDescribed)) as wrong:
                await producer.send(body, correlation=correlation)
        return f"{type(wrong.value).__name__}: {wrong.value}"

    return run_async(scenario())


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"job": 5}, "NotAsDescribed: at `job`: expected string"),
        ({"n": 5}, "NotAsDescribed: `job` is missing"),
        ({"job": "a", "n": math.nan}, "NotAsDescribed: the body contains a number that JSON does not have"),
        ({"job": "a", "n": -math.inf}, "NotAsDescribed: the body contains a number that JSON does not have"),
        ({"job": "a\ud800"}, "NotAsDescribed: a text in the body contains half a character (a lone surrogate)"),
        ({"job": "a" * 1015}, "TooLarge: the body has 1025 bytes, and `message.max_size` is 1Ki"),
        (b'{"job": "' + b"a" * 1100 + b'"}', "TooLarge: the body has 1111 bytes, and `message.max_size` is 1Ki"),
        (b'{"job": NaN}', "NotAsDescribed: expected value at line 1 column 9"),
        (b'{"job": "\xff"}', "NotAsDescribed: byte 10 of the body is not UTF-8"),
        (b"", "NotAsDescribed: the body is empty"),
        (b"[1]", "NotAsDescribed: the body is a list, not an object"),
        (None, "NotAsDescribed: a `NoneType` is not an object"),
        (["a"], "NotAsDescribed: a `list` is not an object"),
        ({"job": {1, 2}}, "NotAsDescribed: a `set` is not a JSON type"),
    ],
)
def test_the_error_says_field_and_expectation(body: object, says: str) -> None:
    """And comes before the one that nobody listens at Redis's address."""
    message = {"max_size": "1Ki"}
    told = send(body, pipeline(message=message))
    assert told.startswith(says), told


def test_one_byte_less_than_too_large_is_not_too_large() -> None:
    """The limit is the largest that may be sent: that body gets as far as Redis, which is absent."""
    spec = pipeline(message={"max_size": "1Ki"}, send={"attempts": 1})
    body = {"job": "a" * (1024 - len('{"job":""}'))}

    async def scenario() -> None:
        async with Producer(spec, NOBODY, credentials=Credentials()) as producer:
            with pytest.raises(RedisAbsent):
                await producer.send(body)

    run_async(scenario())


@pytest.mark.parametrize(
    "body",
    [
        {"job": 4, "card": SECRET},
        {"job": "a", "n": SECRET},
        {"job": "a", SECRET: math.nan},
        {"n": SECRET, "job": "a" * 2000},
        f'{{"job": "{SECRET}"'.encode(),
        f'{{"job": "a", "n": "{SECRET}"}}'.encode(),
        {"card": SECRET},
    ],
)
def test_errors_quote_nothing(body: object) -> None:
    """What a message holds may be secret, and errors are logged."""
    assert SECRET not in send(body, pipeline(message={"max_size": "1Ki"}))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"job": "a"}, "`n` is missing, and `message.dedup.by` needs it"),
        ({"job": "a", "n": None}, "`n` is missing, and `message.dedup.by` needs it"),
        ({"job": "a", "n": [SECRET]}, "at `n`: expected a text or a whole number, because it is `message.dedup.by`"),
        ({"job": "a", "n": True}, "at `n`: expected a text or a whole number, because it is `message.dedup.by`"),
        ({"job": "a", "n": 1.5}, "at `n`: expected a text or a whole number, because it is `message.dedup.by`"),
        ({"job": "a", "n": ""}, "the deduplication key is empty"),
    ],
)
def test_a_body_without_a_deduplication_key_is_not_sent(body: object, says: str) -> None:
    """It would be sent twice, or once for many others."""
    schema = {"type": "object", "required": ["job"]}
    told = send(body, pipeline(message={"schema": schema, "dedup": {"by": "n", "window": "1h"}}))
    assert told == f"NotAsDescribed: {says}"


def test_two_correlations_are_one_too_many() -> None:
    """The one in the body and the one beside it must be the same."""
    told = send({"job": "a"}, pipeline(message={"correlate": "job"}), correlation="b")
    assert told == "NotAsDescribed: at `job`: the body has another correlation than `correlation`"


def test_more_fields_than_an_entry_takes() -> None:
    """Scripts pass an entry on in one piece, which has its bounds."""
    schema = {"type": "object"}
    told = send({f"f{n}": "" for n in range(991)}, pipeline(message={"encoding": "fields", "schema": schema}))
    assert told == "TooLarge: the body has 991 fields, and an entry takes 990; send it as JSON"


@pytest.mark.parametrize(
    "given",
    [
        {"delay": -1},
        {"delay": "11y"},
        {"delay": "4000d"},
        {"delay": math.inf},
        {"delay": math.nan},
        {"delay": timedelta(seconds=-1)},
        {"at": datetime(2030, 1, 1)},  # noqa: DTZ001 - that is what is wrong with it
        {"delay": 1, "at": datetime(2030, 1, 1, tzinfo=UTC)},
        {"timeout": "soon"},
        {"key": "mine"},
        {"correlation": "mine"},
    ],
)
def test_what_means_nothing_is_refused(given: Mapping[str, Any]) -> None:
    """A mistake in the call is a ValueError, and no outcome of a message."""

    async def scenario() -> None:
        async with Producer(pipeline(), NOBODY, credentials=Credentials()) as producer:
            with pytest.raises(ValueError):  # noqa: PT011 - each says something else
                await producer.send({"job": "a"}, **given)

    run_async(scenario())


@pytest.mark.parametrize(
    ("backlog", "retention", "says"),
    [
        ({"when_full": "drop-oldest"}, "until-done", "would drop unread messages"),
        ({"when_full": "drop-oldest", "lossy": True}, {"length": 100}, "keeps history"),
    ],
)
def test_a_spec_that_would_lose_messages_is_not_sent_by(
    backlog: Mapping[str, Any], retention: object, says: str
) -> None:
    """Linting says so too; but who sends may not have linted."""
    with pytest.raises(CannotGoOn, match=says):
        Producer(pipeline(backlog=backlog, keep=retention), NOBODY, credentials=Credentials())


def test_dedup_by_the_field_that_is_made() -> None:
    """A correlation that is made here is there for the deduplication key."""
    spec = pipeline(message={"correlate": "job", "make_correlation": True, "dedup": DEDUP}, send={"attempts": 1})

    async def scenario() -> None:
        async with Producer(spec, NOBODY, credentials=Credentials()) as producer:
            with pytest.raises(RedisAbsent):
                await producer.send({"n": 1})

    run_async(scenario())


def test_a_spec_alone_does_not_say_where_its_redis_is() -> None:
    """A resolved spec does."""
    with pytest.raises(CannotGoOn, match="has no Redis"):
        Producer(pipeline())
