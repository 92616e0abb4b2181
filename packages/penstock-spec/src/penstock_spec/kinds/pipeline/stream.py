"""The stream of a pipeline, and what is written to it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from penstock_spec.model import Section, about
from penstock_spec.values.bounds import SOME_BYTES, SOME_TIME
from penstock_spec.values.quantities import Duration, Size
from penstock_spec.values.strings import Consumer, Field_, File, Group, Handler, Key


class KeepLength(Section):
    """Keep the newest entries, for other readers or an audit."""

    length: Annotated[int, about("Entries to keep; unfinished ones are kept beyond it.", 1000000, ge=1)]


class KeepAge(Section):
    """Keep entries for a time, for other readers or an audit."""

    age: Annotated[Duration, about("How long an entry is kept; unfinished ones are kept beyond it.", "7d"), SOME_TIME]


def _keep(value: object) -> str | None:
    if isinstance(value, KeepLength) or (isinstance(value, dict) and "length" in value):
        return "~length"
    if isinstance(value, KeepAge) or (isinstance(value, dict) and "age" in value):
        return "~age"
    return "~until-done" if isinstance(value, str) else None


Keep = Annotated[
    Annotated[Literal["until-done"], Tag("~until-done")]
    | Annotated[KeepLength, Tag("~length")]
    | Annotated[KeepAge, Tag("~age")],
    Discriminator(
        _keep,
        custom_error_type="wrong-type",
        custom_error_message="expected `until-done`, `{{length: 1000000}}` or `{{age: 7d}}`",
    ),
]


class Retention(Section):
    """How long finished messages stay in the stream."""

    keep: Annotated[
        Keep,
        about(
            "`until-done` deletes a message when its only group is done with it, and then the stream's length is the "
            "work left. `{length: 1000000}` or `{age: 7d}` keep history for other groups or an audit.",
            "until-done",
        ),
    ] = "until-done"

    @property
    def keeps_nothing(self) -> bool:
        """Whether a message leaves the stream in the step that finishes it."""
        return self.keep == "until-done"


class Backlog(Section):
    """How much may wait, and what a producer meets when that is reached."""

    limit: Annotated[int, about("Messages that may wait, delayed ones included.", 1000000, ge=1)] = 1_000_000
    when_full: Annotated[
        Literal["reject", "wait", "drop-oldest"],
        about(
            "What a send meets above the limit: `reject` fails it, `wait` holds it back, `drop-oldest` drops what "
            "nobody has read yet and needs `lossy: true`.",
            "reject",
        ),
    ] = "reject"
    lossy: Annotated[bool, about("Says that dropping unread messages is acceptable here.", True)] = False


class Stream(Section):
    """The stream, its group, and what is kept."""

    key: Annotated[
        Key,
        about(
            "The stream's key. Its side keys are `{key}:...`, or `key:...` when the key has a hash tag of its own.",
            "streams:media.cluster",
            derived="streams:<name>",
        ),
    ] = ""
    group: Annotated[
        Group, about("The consumer group. It is made at the stream's beginning.", "media-workers", derived="<name>")
    ] = ""
    consumer: Annotated[
        Consumer,
        about(
            "The name of a worker's consumer; a random incarnation follows it. `{hostname}` is the pod's name.",
            "media-worker-{hostname}",
        ),
    ] = "{hostname}"
    retention: Annotated[Retention, about("How long finished messages stay.", {"keep": "until-done"})] = Retention()
    backlog: Annotated[Backlog, about("How much may wait.", {"limit": 10000, "when_full": "wait"})] = Backlog()
    foreign_workers: Annotated[
        bool,
        about(
            "True while workers of another make share the group; the janitor then leaves be what they deleted.",
            True,
        ),
    ] = False


class JsonField(Section):
    """The body as JSON in one field of the entry."""

    json_: Annotated[Field_, about("The entry's field that holds the body.", "data", alias="json")] = "data"


def _encoding(value: object) -> str | None:
    if isinstance(value, (dict, JsonField)):
        return "~json"
    return "~fields" if isinstance(value, str) else None


Encoding = Annotated[
    Annotated[JsonField, Tag("~json")] | Annotated[Literal["fields"], Tag("~fields")],
    Discriminator(
        _encoding, custom_error_type="wrong-type", custom_error_message="expected `{{json: <field>}}` or `fields`"
    ),
]


class SchemaFromCode(Section):
    """A message's schema that is a model in the team's code."""

    model: Annotated[Handler, about("A pydantic model or a dataclass, as `module:Class`.", "media.models:ClusterJob")]
    file: Annotated[
        File | None,
        about(
            "Where its JSON Schema is written by `penstock schema message --write`, relative to the spec. Linting "
            "reads this file and never the code.",
            "media-cluster.message.json",
            derived="<name>.message.json",
        ),
    ] = None


def _schema(value: object) -> str | None:
    if isinstance(value, SchemaFromCode) or (isinstance(value, dict) and "model" in value):
        return "~model"
    return "~inline" if isinstance(value, dict) else None


MessageSchema = Annotated[
    Annotated[dict[str, Any], Tag("~inline")] | Annotated[SchemaFromCode, Tag("~model")],
    Discriminator(
        _schema,
        custom_error_type="wrong-type",
        custom_error_message='expected a JSON Schema, or `{{model: "module:Class"}}`',
    ),
]


class Dedup(Section):
    """Sending the same thing twice within a window sends it once."""

    by: Annotated[Field_, about("The field of the body that says what is the same.", "job_id")]
    window: Annotated[Duration, about("How long a message is remembered after it was sent.", "1h"), SOME_TIME]


class Message(Section):
    """What a message looks like."""

    encoding: Annotated[
        Encoding,
        about("How the body stands in the entry: one JSON field, or one entry field a body field.", {"json": "data"}),
    ] = JsonField()
    schema_: Annotated[
        MessageSchema,
        about(
            "JSON Schema of the body, inline or from a model in code. Sends and deliveries are checked against it.",
            {"type": "object", "required": ["job_id"]},
            alias="schema",
        ),
    ] = {"type": "object"}
    max_size: Annotated[Size, about("The largest body that may be sent.", "256Ki"), SOME_BYTES] = Size("256Ki")
    correlate: Annotated[Field_ | None, about("The field that logs, traces and locks use.", "job_id")] = None
    make_correlation: Annotated[
        bool, about("Make the `correlate` field as a ULID where a sender leaves it out.", True)
    ] = False
    log_fields: Annotated[
        list[Field_],
        about("Fields of the body that logs may carry; nothing else of a body is ever logged.", ["job_id"]),
    ] = []
    dedup: Annotated[
        Dedup | None, about("Send the same thing once; off unless said.", {"by": "job_id", "window": "1h"})
    ] = None
