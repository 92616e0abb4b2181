"""Indented JSON, in a fraction of the time of `json`, which writes it in pure Python.

The text is that of `json.dumps(value, indent=2, ensure_ascii=False)`, byte for byte.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring as _text
from typing import Any

_flat = json.JSONEncoder(ensure_ascii=False).encode
_WORDS = {None: "null", True: "true", False: "false"}


def pretty(value: Any, *, sort_keys: bool = False) -> str:  # noqa: ANN401 - any JSON value
    """JSON with a line for each value, without a final line break. Keys are strings."""
    pieces: list[str] = []
    _write(value, "\n", pieces, sort_keys)
    return "".join(pieces)


def _write(value: Any, end: str, pieces: list[str], sort_keys: bool) -> None:  # noqa: ANN401, FBT001 - as above
    """Append the pieces of a value; `end` ends a line and indents the next."""
    if type(value) is str:
        pieces.append(_text(value))
    elif value is None or type(value) is bool:
        pieces.append(_WORDS[value])
    elif type(value) is int:
        pieces.append(int.__repr__(value))
    elif not value or not isinstance(value, (dict, list, tuple)):
        pieces.append(_flat(value))
    elif isinstance(value, dict):
        before, deeper = "{", f"{end}  "
        for key, one in sorted(value.items()) if sort_keys else value.items():
            if type(one) is str:
                pieces.append(f"{before}{deeper}{_text(key)}: {_text(one)}")
            else:
                pieces.append(f"{before}{deeper}{_text(key)}: ")
                _write(one, deeper, pieces, sort_keys)
            before = ","
        pieces.append(f"{end}}}")
    else:
        before, deeper = "[", f"{end}  "
        for one in value:
            pieces.append(f"{before}{deeper}")
            _write(one, deeper, pieces, sort_keys)
            before = ","
        pieces.append(f"{end}]")
