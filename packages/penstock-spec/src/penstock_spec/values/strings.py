"""Types of strings in specs: names, keys, images, handlers, dates. Each refuses invalid values with a hint."""

from __future__ import annotations

import re
from datetime import date
from ipaddress import ip_network
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

LONGEST_FIELD = 200
"""For the name of a field."""

LONGEST_FILE = 200
"""For the path of a file beside a spec."""

LONGEST_KEY = 512
"""For a Redis key; Redis accepts longer ones, but they are hard to type."""

LONGEST_LABEL = 63
"""For a DNS label."""

LONGEST_NAME = 54
"""For a name: the HPA that KEDA creates is named `keda-hpa-<name>`, which must be a DNS label too."""

DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
HANDLER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
REPOSITORY = re.compile(
    r"([a-zA-Z0-9][a-zA-Z0-9.-]*(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*", re.ASCII
)
TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
DIGEST = re.compile(r"[a-z0-9]+:[0-9a-f]{32,}", re.ASCII)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
TIDY = re.compile(r"[^a-z0-9]+")
PLACEHOLDER = re.compile(r"\{[^{}]*\}")
LABEL_WORD = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII)
LABEL_PREFIX = re.compile(r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
OUR_LABELS = re.compile(r"app\.kubernetes\.io/(name|component|part-of|managed-by)|penstock\.dev/.*", re.ASCII)


def refuse(rule: str, says: str, hint: str) -> PydanticCustomError:
    """A validation error with its rule and hint, for the finding."""
    return PydanticCustomError(rule, "{says}", {"says": says, "hint": hint})


def printable(value: object, most: int = 60) -> str:
    """A value for a message: shortened, and without control characters."""
    text = CONTROL.sub(lambda match: f"\\u{ord(match.group()):04x}", str(value))
    return text if len(text) <= most else text[: most - 3] + "..."


def _text(value: object) -> object:
    if isinstance(value, str):
        bad = CONTROL.search(value)
        if bad:
            says = f"`{printable(value)}` contains U+{ord(bad.group()):04X}"
            raise refuse("bad-text", says, "write plain text on one line")
        if not value.strip():
            raise refuse("bad-text", "it is empty", "write text, or remove it")
        if len(value) > 500:  # noqa: PLR2004 - a line that people read
            raise refuse("bad-text", f"it has {len(value)} characters; the limit is 500", "shorten it")
    return value


def _field(value: object) -> object:
    if isinstance(value, str) and len(value) > LONGEST_FIELD:
        says = f"it has {len(value)} characters; the limit is {LONGEST_FIELD}"
        raise refuse("bad-text", says, "shorten it")
    return _text(value)


def _label(value: object, most: int) -> object:
    if not isinstance(value, str):
        return value
    if len(value) > most:
        says = f"it has {len(value)} characters; the limit is {most}"
        why = (
            "Kubernetes allows 63"
            if most == LONGEST_LABEL
            else f"Kubernetes allows 63, and generated names add {63 - most}"
        )
        raise refuse("name-too-long", says, f"shorten it: {why}")
    if not DNS_LABEL.fullmatch(value):
        tidy = TIDY.sub("-", value.lower()).strip("-")
        hint = f"write `{tidy}`" if tidy else "write lower-case letters, digits and hyphens"
        raise refuse("bad-name", f"`{printable(value)}` is not a DNS label (lower-case letters, digits, hyphens)", hint)
    return value


def _name(value: object) -> object:
    return _label(value, LONGEST_NAME)


def _namespace(value: object) -> object:
    return _label(value, LONGEST_LABEL)


def _handler(value: object) -> object:
    if isinstance(value, str) and not HANDLER.fullmatch(value):
        dotted = value.replace("/", ".")
        module, _, name = dotted.rpartition("." if ":" not in value and not value.endswith(".py") else ":")
        better = f"{module.removesuffix('.py')}:{name}"
        hint = f"write `{better}`" if HANDLER.fullmatch(better) else "write it like `media.jobs:handle`"
        raise refuse("bad-handler", f"`{printable(value)}` is not of the form `module:name`", hint)
    return value


def _image(value: object) -> object:
    if not isinstance(value, str):
        return value
    name, at, digest = value.partition("@")
    repository, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        repository, tag = name, ""
    if (
        not REPOSITORY.fullmatch(repository)
        or (tag and not TAG.fullmatch(tag))
        or (at and not DIGEST.fullmatch(digest))
    ):
        lower = repository.lower() + value.removeprefix(repository)
        better = lower if REPOSITORY.fullmatch(repository.lower()) and lower != value else ""
        hint = f"write `{better}`" if better else "write it like `registry.example/team/app:1.4.2`"
        raise refuse("bad-image", f"`{printable(value)}` is not an image", hint)
    if not at and tag in ("", "latest"):
        says = "`latest` may be another image tomorrow"
        if not tag:
            says = f"`{printable(value)}` has no tag, which means `latest`"
        raise refuse("image-not-pinned", says, f"name a version, such as `{repository}:1.4.2`, or a digest")
    return value


def _word(value: str, rule: str, example: str) -> None:
    if not value:
        raise refuse(rule, "it is empty", f"write it like `{example}`")
    if len(value) > LONGEST_KEY:
        raise refuse(rule, f"it has {len(value)} characters; the limit is {LONGEST_KEY}", "shorten it")
    if CONTROL.search(value) or " " in value:
        says = f"`{printable(value)}` contains a space or a control character"
        raise refuse(rule, says, f"write it like `{example}`")


def _key(value: object) -> object:
    if not isinstance(value, str):
        return value
    _word(value, "bad-key", "streams:media.cluster")
    if ("{" in value or "}" in value) and not re.fullmatch(r"[^{}]*\{[^{}]+\}[^{}]*", value):
        says = f"the braces of `{printable(value)}` are not one hash tag, so its side keys could land in other slots"
        raise refuse("bad-key", says, "write no braces, or exactly one `{tag}` that is not empty")
    return value


def _group(value: object) -> object:
    if isinstance(value, str):
        if value.startswith("~"):
            raise refuse("bad-key", f"`{printable(value)}` starts with `~`, which is reserved", "remove the `~`")
        if "{" in value or "}" in value:
            raise refuse(
                "bad-key", f"`{printable(value)}` has braces, and it becomes part of keys", "remove the braces"
            )
        _word(value, "bad-key", "media-workers")
    return value


def _consumer(value: object) -> object:
    if isinstance(value, str):
        if value.startswith("~"):
            raise refuse("bad-consumer", f"`{printable(value)}` starts with `~`, which is reserved", "remove the `~`")
        unknown = [word for word in PLACEHOLDER.findall(value) if word != "{hostname}"]
        if unknown or value.count("{") != value.count("{hostname}") or value.count("}") != value.count("{hostname}"):
            word = f"the braces of `{printable(value)}` are" if not unknown else f"`{printable(unknown[0])}` is"
            says = f"{word} not a placeholder"
            better = PLACEHOLDER.sub("{hostname}", value) if unknown else "{hostname}"
            raise refuse("bad-consumer", says, f'write `"{printable(better)}"`, or no braces')
        _word(value, "bad-consumer", '"media-{hostname}"')
    return value


def _date(value: object) -> object:
    if isinstance(value, date):
        return value
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value, re.ASCII):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise refuse(
                "bad-date", f"`{value}` is not a date", "write a date of the calendar, such as `2027-01-31`"
            ) from None
    raise refuse("bad-date", f"`{printable(value)}` is not a date", "write it like `2027-01-31`")


def _url(value: object) -> object:
    if isinstance(value, str):
        try:
            parts = urlsplit(value)
            ok = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            ok = False
        if not ok or CONTROL.search(value) or " " in value:
            raise refuse(
                "bad-url",
                f"`{printable(value)}` is not a URL",
                "write the full URL, such as `https://runbooks.example`",
            )
    return value


def _pointer(value: object) -> object:
    if isinstance(value, str) and (not re.fullmatch(r"(/([^~/]|~[01])*)+", value) or CONTROL.search(value)):
        raise refuse(
            "bad-pointer", f"`{printable(value)}` is not a JSON pointer", "write it like `/spec/maxReplicaCount`"
        )
    return value


def _file(value: object) -> object:
    if isinstance(value, str):
        steps = value.split("/")
        if (
            CONTROL.search(value)
            or value.startswith("/")
            or "\\" in value
            or not value
            or ".." in steps
            or len(value) > LONGEST_FILE
        ):
            says = f"`{printable(value)}` is not a file beside the spec"
            raise refuse("bad-file", says, "write a relative path without `..`, such as `schemas/job.json`")
    return value


def _cidr(value: object) -> object:
    if isinstance(value, str):
        try:
            network = ip_network(value, strict=False)
        except ValueError:
            network = None
        if network is None or str(network) != value.lower():
            hint = f"write `{network}`" if network else "write an address and a prefix length, such as `10.20.0.0/16`"
            raise refuse("bad-cidr", f"`{printable(value)}` is not a range of addresses", hint)
    return value


def _label_key(value: object) -> object:
    if not isinstance(value, str):
        return value
    prefix, slash, name = value.rpartition("/")
    if not LABEL_WORD.fullmatch(name) or (slash and not LABEL_PREFIX.fullmatch(prefix)):
        raise refuse("bad-label", f"`{printable(value)}` is not the name of a label", "write it like `release`")
    if OUR_LABELS.fullmatch(value):
        raise refuse("bad-label", f"`{value}` is one of Penstock's own labels", "choose another name")
    return value


def _label_value(value: object) -> object:
    if isinstance(value, str) and value and not LABEL_WORD.fullmatch(value):
        hint = "write at most 63 letters, digits, `-`, `_` and `.`, with a letter or a digit at both ends"
        raise refuse("bad-label", f"`{printable(value)}` is not the value of a label", hint)
    return value


def _schema(kind: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", **kind})


Text = Annotated[str, BeforeValidator(_text), _schema({"minLength": 1, "maxLength": 500})]
Name = Annotated[str, BeforeValidator(_name), _schema({"pattern": f"^{DNS_LABEL.pattern}$", "maxLength": LONGEST_NAME})]
Namespace = Annotated[str, BeforeValidator(_namespace), _schema({"pattern": f"^{DNS_LABEL.pattern}$", "maxLength": 63})]
Handler = Annotated[str, BeforeValidator(_handler), _schema({"pattern": f"^{HANDLER.pattern}$"})]
Image = Annotated[str, BeforeValidator(_image), _schema({"minLength": 1})]
Key = Annotated[str, BeforeValidator(_key), _schema({"minLength": 1, "maxLength": 512})]
Group = Annotated[str, BeforeValidator(_group), _schema({"pattern": "^[^~{}][^{}]*$", "maxLength": 512})]
Consumer = Annotated[str, BeforeValidator(_consumer), _schema({"minLength": 1, "maxLength": 512})]
Date = Annotated[date, BeforeValidator(_date), PlainSerializer(str), _schema({"format": "date"})]
Url = Annotated[str, BeforeValidator(_url), _schema({"pattern": "^https?://"})]
Cidr = Annotated[str, BeforeValidator(_cidr), _schema({"pattern": "^[0-9A-Fa-f.:]+/[0-9]{1,3}$"})]
LabelKey = Annotated[str, BeforeValidator(_label_key), _schema({"pattern": f"^([a-z0-9.-]+/)?{LABEL_WORD.pattern}$"})]
LabelValue = Annotated[str, BeforeValidator(_label_value), _schema({"pattern": f"^({LABEL_WORD.pattern})?$"})]
Pointer = Annotated[str, BeforeValidator(_pointer), _schema({"pattern": "^/"})]
File = Annotated[str, BeforeValidator(_file), _schema({"minLength": 1})]
Field_ = Annotated[str, BeforeValidator(_field), _schema({"minLength": 1, "maxLength": LONGEST_FIELD})]
"""The name of a field in the body of a message."""
