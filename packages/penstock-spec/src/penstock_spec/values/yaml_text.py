"""Values as YAML that reads back as the same values. Text is quoted unless it is clearly plain."""

from __future__ import annotations

import re
import unicodedata
from json.encoder import encode_basestring as _as_json  # fast: a pipeline has some hundred texts
from typing import Any

from penstock_spec.reading.scalars import plain

# No indicator at the start, and no character inside that could end a plain scalar in a block or in brackets.
STARTS, GOES_ON = "[A-Za-z0-9_./+~<$]", "[A-Za-z0-9_./+~<>$@^*()=;|%-]*"
PLAIN = re.compile(f"{STARTS}{GOES_ON}(?:[ :](?={STARTS}){GOES_ON})*")
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def scalar(value: object) -> str:
    """One value on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _number(value)
    text = str(value)
    if PLAIN.fullmatch(text) and isinstance(plain(text), str) and text not in ("<<", "="):
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """A quoted text, which all YAML parsers read alike."""
    # Fast path, for whole files: JSON's quoting is valid YAML, except for characters that only YAML requires to escape.
    if text.isascii() and "\x7f" not in text:
        return _as_json(text)
    return '"' + "".join(_escaped(one) for one in text) + '"'


def flow(value: Any) -> str:  # noqa: ANN401 - any YAML value
    """Any value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(one) for one in value) + "]"
    return scalar(value)


def _number(value: float) -> str:
    text = str(value)
    return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(text, text)


def _escaped(one: str) -> str:
    if one in ESCAPES:
        return ESCAPES[one]
    if one.isascii() and one.isprintable():
        return one
    code = ord(one)
    if unicodedata.category(one)[0] in "CZ" or code > 0xFFFF:  # noqa: PLR2004 - beyond it parsers differ
        return f"\\U{code:08X}" if code > 0xFFFF else f"\\u{code:04X}"  # noqa: PLR2004 - as above
    return one
