"""The kinds of words that a spec is made of: names, keys, images, handlers, dates. Each refuses with its rule and a way out."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

LONGEST_NAME = 54
"""A DNS label has 63; the name of the HPA that KEDA makes adds `keda-hpa-`."""

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


def refuse(rule: str, says: str, hint: str) -> PydanticCustomError:
    """An error that carries its rule's name and hint to whoever turns it into a finding."""
    return PydanticCustomError(rule, "{says}", {"says": says, "hint": hint})  # type: ignore[arg-type] # rule names are literals at the callers


def shown(value: object, most: int = 60) -> str:
    """A value in a message: short, and without anything that could move the reader's cursor."""
    text = CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", str(value))
    return text if len(text) <= most else text[: most - 3] + "..."


def _text(value: object) -> object:
    if isinstance(value, str):
        bad = CONTROL.search(value)
        if bad:
            says = f"U+{ord(bad.group()):04X} stands in `{shown(value)}`"
            raise refuse("bad-text", says, "write plain text on one line")
        if not value.strip():
            raise refuse("bad-text", "it is empty", "write something, or take the line out")
        if len(value) > 500:  # noqa: PLR2004 - a line that people read
            raise refuse("bad-text", f"it has {len(value)} characters, and 500 is the most", "say it shorter")
    return value


def _label(value: object, most: int) -> object:
    if not isinstance(value, str):
        return value
    if len(value) > most:
        says = f"it has {len(value)} characters, and {most} is the most"
        raise refuse("name-too-long", says, f"shorten it; Kubernetes adds to it and stops at 63, so {most} remain")
    if not DNS_LABEL.fullmatch(value):
        tidy = TIDY.sub("-", value.lower()).strip("-")[:most]
        hint = f"write `{tidy}`" if tidy else "write lower-case letters, digits and hyphens"
        raise refuse("bad-name", f"`{shown(value)}` is not a DNS label (lower-case letters, digits, hyphens)", hint)
    return value


def _name(value: object) -> object:
    return _label(value, LONGEST_NAME)


def _namespace(value: object) -> object:
    return _label(value, 63)


def _handler(value: object) -> object:
    if isinstance(value, str) and not HANDLER.fullmatch(value):
        module, _, function = value.replace("/", ".").removesuffix(".py").rpartition("." if ":" not in value else ":")
        better = f"{module.removesuffix('.py')}:{function}"
        hint = f"write `{better}`" if HANDLER.fullmatch(better) else "write `module.path:function`"
        raise refuse("bad-handler", f"`{shown(value)}` does not say module and function", hint)
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
        raise refuse(
            "bad-image", f"`{shown(value)}` is not an image", "write it such as `registry.example/team/app:1.4.2`"
        )
    if not at and tag in ("", "latest"):
        says = "`latest` is another image tomorrow" if tag else f"`{shown(value)}` has no tag, which means `latest`"
        raise refuse("image-not-pinned", says, f"name a version, such as `{repository}:1.4.2`, or a digest")
    return value


def _key(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not value or len(value) > 512 or CONTROL.search(value) or " " in value:  # noqa: PLR2004 - a key that people type
        says = f"`{shown(value)}` is not a key: 1 to 512 characters, without spaces and control characters"
        raise refuse("bad-key", says, "write it such as `streams:media.cluster`")
    if ("{" in value or "}" in value) and not re.fullmatch(r"[^{}]*\{[^{}]+\}[^{}]*", value):
        says = f"the braces of `{shown(value)}` are not one hash tag, so its side keys could land in other slots"
        raise refuse("bad-key", says, "write no braces, or exactly one `{tag}` with something in it")
    return value


def _group(value: object) -> object:
    if isinstance(value, str):
        if value.startswith("~"):
            raise refuse("bad-key", f"`{shown(value)}` starts with `~`, which is reserved", "take the `~` off")
        if "{" in value or "}" in value:
            raise refuse("bad-key", f"`{shown(value)}` has braces, and it becomes part of keys", "take the braces out")
    return _key(value)


def _consumer(value: object) -> object:
    if isinstance(value, str):
        if value.startswith("~"):
            raise refuse(
                "bad-consumer", "names with `~` are reserved for parked and ready messages", "take the `~` off"
            )
        unknown = [word for word in PLACEHOLDER.findall(value) if word != "{hostname}"]
        if unknown or value.count("{") != value.count("{hostname}") or value.count("}") != value.count("{hostname}"):
            says = f"`{shown(unknown[0] if unknown else value)}` is not replaced by anything"
            raise refuse("bad-consumer", says, "the only placeholder is `{hostname}`, in a pod the pod's name")
    return _key(value.replace("{hostname}", "h")) and value if isinstance(value, str) else value


def _date(value: object) -> object:
    if isinstance(value, date):
        return value
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value, re.ASCII):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise refuse(
                "bad-date", f"`{value}` is not a day", "write a day of the calendar, as `2027-01-31`"
            ) from None
    raise refuse("bad-date", f"`{shown(value)}` is not a date", "write it as `2027-01-31`")


def _url(value: object) -> object:
    if isinstance(value, str):
        try:
            parts = urlsplit(value)
            ok = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            ok = False
        if not ok or CONTROL.search(value) or " " in value:
            raise refuse("bad-url", f"`{shown(value)}` is not an address", "write it with `http://` or `https://`")
    return value


def _pointer(value: object) -> object:
    if isinstance(value, str) and (not re.fullmatch(r"(/([^~/]|~[01])*)+", value) or CONTROL.search(value)):
        raise refuse(
            "bad-pointer", f"`{shown(value)}` is not a JSON pointer", "write it such as `/spec/maxReplicaCount`"
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
            or len(value) > 200
        ):  # noqa: PLR2004
            says = f"`{shown(value)}` is not a file beside the spec"
            raise refuse("bad-file", says, "write a relative path without `..`, such as `schemas/job.json`")
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
Pointer = Annotated[str, BeforeValidator(_pointer), _schema({"pattern": "^/"})]
File = Annotated[str, BeforeValidator(_file), _schema({"minLength": 1})]
Field_ = Annotated[str, BeforeValidator(_text), Field(max_length=200), _schema({"minLength": 1, "maxLength": 200})]
"""The name of a field of a message's body."""
