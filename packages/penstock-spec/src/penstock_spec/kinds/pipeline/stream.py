"""The stream of a pipeline and its messages."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from penstock_spec.model import Section, about
from penstock_spec.values.bounds import MIN_1BYTE, MIN_1MS
from penstock_spec.values.quantities import Duration, Size
from penstock_spec.values.strings import Consumer, Field_, File, Group, Handler, Key


class KeepLength(Section):
    """Keep a number of entries, for other readers or an audit."""

    length: Annotated[
        int, about("The number of entries to keep. Unfinished messages are kept even beyond it.", 1000000, ge=1)
    ]


class KeepAge(Section):
    """Keep entries for a time, for other readers or an audit."""

    age: Annotated[
        Duration, about("How long an entry is kept. Unfinished messages are kept even longer.", "7d"), MIN_1MS
    ]


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
            "`until-done` deletes a message when its only group is done with it, so the stream's length "
            "is the remaining work. `{length: 1000000}` or `{age: 7d}` keep history for other groups or "
            "an audit.",
            "until-done",
        ),
    ] = "until-done"

    @property
    def keeps_nothing(self) -> bool:
        """Whether a message is deleted from the stream when it is done."""
        return self.keep == "until-done"


class Backlog(Section):
    """How many messages may wait, and what happens to a send beyond that."""

    limit: Annotated[int, about("The number of messages that may wait, including delayed ones.", 1000000, ge=1)] = (
        1_000_000
    )
    when_full: Annotated[
        Literal["reject", "wait", "drop-oldest"],
        about(
            "What happens to a send when the backlog is full: `reject` fails it, `wait` waits for room, "
            "`drop-oldest` drops the oldest unread message and needs `lossy: true`.",
            "reject",
        ),
    ] = "reject"
    lossy: Annotated[bool, about("Confirms that dropping unread messages is acceptable.", True)] = False


class Stream(Section):
    """The stream, its consumer group and its retention."""

    key: Annotated[
        Key,
        about(
            "The stream's key in Redis. Its side keys are named `{key}:...`, or `key:...` if the key has "
            "its own hash tag.",
            "streams:media.cluster",
            derived="streams:<name>",
        ),
    ] = ""
    group: Annotated[
        Group,
        about("The consumer group. It is created at the beginning of the stream.", "media-workers", derived="<name>"),
    ] = ""
    consumer: Annotated[
        Consumer,
        about(
            "The name of a worker's consumer, to which a random part is added. `{hostname}` stands for the pod's name.",
            "media-worker-{hostname}",
        ),
    ] = "{hostname}"
    retention: Annotated[Retention, about("How long finished messages stay in the stream.", {"keep": "until-done"})] = (
        Retention()
    )
    backlog: Annotated[
        Backlog,
        about(
            "How many messages may wait, and what happens to a send beyond that.", {"limit": 10000, "when_full": "wait"}
        ),
    ] = Backlog()
    foreign_workers: Annotated[
        bool,
        about(
            "Set to true while workers not run by Penstock share the group. The janitor then treats "
            "messages that they acknowledged as finished.",
            True,
        ),
    ] = False


class JsonField(Section):
    """The body is JSON in one field of the entry."""

    json_: Annotated[Field_, about("The field of the entry that holds the body.", "data", alias="json")] = "data"


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
    """The schema of a message comes from a model in the team's code."""

    model: Annotated[Handler, about("A pydantic model or a dataclass, as `module:Class`.", "media.models:ClusterJob")]
    file: Annotated[
        File | None,
        about(
            "The file, relative to the spec, to which `penstock schema message --write` writes the "
            "model's JSON Schema. Linting reads this file and never imports the code.",
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
    """Accept a message only once within a time window."""

    by: Annotated[Field_, about("The field of the body that identifies a message.", "job_id")]
    window: Annotated[Duration, about("How long a message is remembered after it was sent.", "1h"), MIN_1MS]


class Message(Section):
    """The format, schema and limits of messages."""

    encoding: Annotated[
        Encoding,
        about(
            "How the body is stored in the entry: as JSON in one field, or as one entry field per body "
            "field (`fields`).",
            {"json": "data"},
        ),
    ] = JsonField()
    schema_: Annotated[
        MessageSchema,
        about(
            "The JSON Schema of the body, inline or from a model in the code. Sends and deliveries are "
            "checked against it.",
            {"type": "object", "required": ["job_id"]},
            alias="schema",
        ),
    ] = {"type": "object"}
    max_size: Annotated[
        Size, about("The maximum size of a body; a larger one becomes a dead letter inside Redis.", "256Ki"), MIN_1BYTE
    ] = Size("256Ki")
    correlate: Annotated[
        Field_ | None,
        about("The field of the body that links logs and traces of the same work, and names its locks.", "job_id"),
    ] = None
    make_correlation: Annotated[
        bool, about("Fill the `correlate` field with a new ULID if the sender leaves it out.", True)
    ] = False
    log_fields: Annotated[
        list[Field_],
        about("Fields of the body that are logged. No other part of a body is ever logged.", ["job_id"]),
    ] = []
    dedup: Annotated[
        Dedup | None,
        about("Accept a message only once within a time window. Off by default.", {"by": "job_id", "window": "1h"}),
    ] = None
