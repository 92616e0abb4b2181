"""Encodes and checks a message, before Redis is called."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from penstock.message.body import Value, plain, value_of
from penstock.message.encoding import Encoding
from penstock.message.penstock_fields import write_own_fields
from penstock.message.unreadable import MessageProblem, Unsendable
from penstock.observe.traces import Trace
from penstock.producer.encoded import EncodedMessage
from penstock.producer.errors import invalid_message
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.stream import JsonField
from penstock_spec.values.strings import printable

MOST_FIELDS = 990
"""The most fields of a body with one entry field each. With Penstock's own fields, these are at most a thousand, which
one script call can pass on."""

LONGEST_KEY = 200
"""The most characters of a deduplication key; longer keys are replaced by a hash."""


@dataclass(frozen=True, slots=True)
class SendOptions:
    """Options of one send."""

    due: str
    key: str | None = None
    correlation: str | None = None
    trace: Trace | None = None


class Encoder:
    """Encodes messages of one pipeline."""

    def __init__(self, spec: Pipeline, encoding: Encoding, ulids: Callable[[], str]) -> None:
        """`encoding` writes a body into the fields of an entry."""
        message = spec.message
        self._encoding = encoding
        self._ulids = ulids
        self._name = message.encoding.json_.encode() if isinstance(message.encoding, JsonField) else None
        self._max_size = message.max_size
        self._correlate = message.correlate
        self._makes = message.make_correlation
        self._dedup = message.dedup.by if message.dedup else None

    def encode(self, body: object, options: SendOptions) -> EncodedMessage:
        """Encode and check a message. Raises InvalidMessage."""
        try:
            return self._encode_checked(body, options)
        except MessageProblem as problem:
            raise invalid_message(problem) from None

    def _encode_checked(self, body: object, options: SendOptions) -> EncodedMessage:
        value, fields = self._written(body, options.correlation)
        if len(fields) > 2 * MOST_FIELDS:
            says = f"the body has {len(fields) // 2} fields, but an entry can have {MOST_FIELDS}; send it as JSON"
            raise Unsendable("too-large", says)
        key = self._key(value, options.key)
        sender_trace = options.trace
        trace = None if sender_trace is None else {"traceparent": sender_trace.parent, "tracestate": sender_trace.state}
        id_ = self._ulids()
        fields += write_own_fields(id_, key=None if key is None else key.encode(), trace=trace)
        correlation = None if self._correlate is None else value.get(self._correlate)
        return EncodedMessage(
            id_,
            (id_, options.due, len(fields), *fields),
            sum(map(len, fields)),
            key,
            None if correlation is None else str(correlation),
        )

    def _written(self, body: object, correlation: str | None) -> tuple[Value, list[bytes]]:
        if isinstance(body, bytes):
            value = value_of(body, self._max_size)
            complete = self._with_correlation(value, correlation)
            if complete is value and self._name is not None:
                fields = [self._name, body]
                self._encoding.read(fields)
                return value, fields
        else:
            complete = self._with_correlation(plain(body), correlation)
        return complete, self._encoding.write(complete)

    def _with_correlation(self, value: Value, given: str | None) -> Value:
        field = self._correlate
        if field is None or value.get(field) is not None:
            if given is not None and field is not None and value[field] != given:
                raise Unsendable(
                    "schema",
                    f"at `{printable(field)}`: the body has another correlation than `correlation`",
                )
            return value
        if given is None and not self._makes:
            return value
        return {**value, field: self._ulids() if given is None else given}

    def _key(self, value: Value, given: str | None) -> str | None:
        field = self._dedup
        if field is None:
            return None
        if given is None:
            field_value = value.get(field)
            where = printable(field)
            if field_value is None:
                says = f"`{where}` is missing, and `message.dedup.by` needs it"
                raise Unsendable("schema", says)
            if not isinstance(field_value, (str, int)) or isinstance(field_value, bool):
                says = f"at `{where}`: expected a text or a whole number, because it is `message.dedup.by`"
                raise Unsendable("schema", says)
            given = field_value.encode().decode() if isinstance(field_value, str) else int.__repr__(field_value)
        if not given:
            raise Unsendable("schema", "the deduplication key is empty")
        if len(given) <= LONGEST_KEY:
            return given
        return f"sha256:{hashlib.sha256(given.encode()).hexdigest()}"
