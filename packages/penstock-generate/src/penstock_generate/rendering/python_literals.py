"""Values as Python's source, in ASCII and on one line: whatever a text holds, it stays inside its quotes."""

from __future__ import annotations

import re

PLAIN = re.compile(r"[^ !#-\[\]-~]")
"""All that does not stand for itself in a text."""
BYTE, PLANE = 0x100, 0x10000


def literal(value: object) -> str:
    """A text, a number, nothing, or a list or dict of such. Raises TypeError for what has no literal."""
    if isinstance(value, str):
        return f'"{PLAIN.sub(_escape, value)}"'
    if value is None or isinstance(value, (bool, int)):
        return repr(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(key)}: {literal(one)}' for key, one in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    raise TypeError(type(value))


def _escape(found: re.Match[str]) -> str:
    one = found.group()
    if one in '"\\':
        return f"\\{one}"
    if one == "\n":
        return "\\n"
    code = ord(one)
    return f"\\x{code:02x}" if code < BYTE else f"\\u{code:04x}" if code < PLANE else f"\\U{code:08x}"
