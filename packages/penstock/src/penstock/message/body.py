"""Reads and writes bodies: one JSON object in UTF-8, which every reader must read in the same way.

`NaN`, infinities, numbers too large for a float, lone surrogates and byte order marks are refused. Nesting is
limited to 200 levels, on every Python. If a key is repeated, the last one counts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import lru_cache
from typing import Any, NoReturn

from pydantic import BaseModel, TypeAdapter
from pydantic_core import from_json

from penstock.message.unreadable import Unreadable, Unsendable
from penstock_spec.values.quantities import Size

Value = dict[str, Any]

_BOM = b"\xef\xbb\xbf"
_KINDS = {list: "a list", str: "a text", bool: "true or false", type(None): "null", int: "a number", float: "a number"}

# The parser turns numbers too large for a float into infinity. Such a number has an exponent of three digits, or very
# many digits. With all digits replaced by 0 and `E` by `e`, a fast byte search finds both.
_NUMBERS = bytes.maketrans(b"123456789E", b"000000000e")
_LARGE_EXPONENT = b"0e000"
_MANY_DIGITS = b"0" * 200


def value_of(raw: bytes, max_size: Size) -> Value:
    """Parse the object in a body."""
    if len(raw) > max_size.amount:
        raise too_large(len(raw), max_size)
    value = json_of(raw)
    if type(value) is not dict:
        raise Unreadable("schema", f"the body is {_KINDS[type(value)]}, not an object")
    return value


def json_of(raw: bytes) -> object:
    """Parse any JSON value."""
    try:
        value: object = from_json(raw, allow_inf_nan=False, cache_strings="keys")
    except ValueError as error:
        raise _explained(raw, error) from None
    digits = raw.translate(_NUMBERS, b"+")
    if (_LARGE_EXPONENT in digits or (len(raw) > len(_MANY_DIGITS) and _MANY_DIGITS in digits)) and _infinite(value):
        raise Unreadable("not-json", "the body contains a number that is too large")
    return value


def too_large(size: int, max_size: Size) -> Unreadable:
    """Return the error for a body above the limit."""
    return Unreadable("too-large", f"the body has {size} bytes, more than `message.max_size` ({max_size})")


def _explained(raw: bytes, error: ValueError) -> Unreadable:
    if not raw:
        return Unreadable("no-body", "the body is empty")
    try:
        raw.decode()
    except UnicodeDecodeError as wrong:
        return Unreadable("not-utf-8", f"byte {wrong.start + 1} of the body is not UTF-8")
    if raw.startswith(_BOM):
        return Unreadable("not-json", "the body starts with a byte order mark")
    # The parser's message has positions and what it expected, and quotes nothing.
    return Unreadable("not-json", f"the body is not valid JSON ({str(error).replace(' at line ', ', line ')})")


def _infinite(value: object) -> bool:
    level = [value]
    while level:
        if any(type(one) is float and math.isinf(one) for one in level):
            return True
        level = list(_inside(level))
    return False


def _inside(level: list[object]) -> Iterator[object]:
    for one in level:
        if isinstance(one, dict):
            yield from one.values()
        elif isinstance(one, list):
            yield from one


class _Encoder(json.JSONEncoder):
    def default(self, o: object) -> NoReturn:
        raise Unsendable("type", f"a `{type(o).__qualname__}` is not a JSON type; pass a model, or convert it to text")


_ENCODER = _Encoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def text_of(value: object) -> bytes:
    """Return a plain value as compact JSON. Numeric keys become text, and tuples lists, as in Python's `json`."""
    try:
        return _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        raise Unsendable("not-utf-8", "the body contains a lone surrogate, which is not a character") from None
    except RecursionError:
        raise Unsendable("not-json", "the body is nested too deeply") from None
    except ValueError as error:
        circle = "Circular" in str(error)
        says = "the body contains itself" if circle else "the body contains a number that JSON does not have"
        raise Unsendable("not-json", says) from None
    except TypeError:
        raise Unsendable("type", "a key in the body is not a text") from None


def plain(body: object) -> Value:
    """Return a sender's dict, pydantic model or dataclass as plain values."""
    if type(body) is dict:
        return body
    try:
        value = _dumped(body)
    except (ValueError, RecursionError):  # pydantic's errors are ValueErrors too
        says = f"the `{type(body).__qualname__}` contains something that cannot be written as JSON"
        raise Unsendable("type", says) from None
    if not isinstance(value, dict):
        says = f"a `{type(body).__qualname__}` is not an object; pass a dict, a pydantic model or a dataclass"
        raise Unsendable("type", says)
    return value


def _dumped(body: object) -> object:
    # Pydantic's warnings quote values; the schema check reports what does not match.
    if isinstance(body, BaseModel):
        return body.model_dump(mode="json", by_alias=True, warnings=False)
    if is_dataclass(body) and not isinstance(body, type):
        return _adapter(type(body)).dump_python(body, mode="json", by_alias=True, warnings=False)
    return dict(body) if isinstance(body, Mapping) else body


@lru_cache(maxsize=256)
def _adapter(kind: type[object]) -> TypeAdapter[object]:
    return TypeAdapter(kind)
