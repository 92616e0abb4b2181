"""Values as Python literals, in ASCII and on one line: a text cannot leave its quotes."""

from __future__ import annotations

import re

PLAIN = re.compile(r"[^ !#-\[\]-~]")
"""Characters that must be escaped."""
BYTE, PLANE = 0x100, 0x10000


def literal(value: object) -> str:
    """A string, number, None, list or dict. Raises TypeError for other values."""
    if isinstance(value, str):
        return f'"{PLAIN.sub(_escape, value)}"'
    if value is None or isinstance(value, (bool, int)):
        return repr(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(key)}: {literal(one)}' for key, one in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    raise TypeError(type(value))


def _escape(match: re.Match[str]) -> str:
    one = match.group()
    if one in '"\\':
        return f"\\{one}"
    if one == "\n":
        return "\\n"
    code = ord(one)
    return f"\\x{code:02x}" if code < BYTE else f"\\u{code:04x}" if code < PLANE else f"\\U{code:08x}"
