"""Values as YAML. Every value of a spec passes through here, and keeps its meaning in the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from penstock_spec.values.yaml_text import quoted
from penstock_spec.values.yaml_text import scalar as _of_12

PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./@-]*+(?: [A-Za-z0-9_./@-]++)*+")
WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""Words that some parser does not read as text: Kubernetes and Helm read YAML 1.1."""


def scalar(value: object) -> str:
    """One value, read alike by parsers of YAML 1.1 and 1.2."""
    if isinstance(value, YamlText):
        return value.text
    return _text(str(value)) if isinstance(value, str) else _of_12(value)


@lru_cache(4096)  # every file repeats keys and words
def _text(text: str) -> str:
    return text if PLAIN.fullmatch(text) and text.lower() not in WORDS else quoted(text)


@dataclass(frozen=True, slots=True)
class YamlText:
    """YAML text that several files contain: a list or a quoted string."""

    text: str
    """A list continues after a `:`, with its items at the indentation of that line."""


def block(value: Any, indent: int = 0) -> str:  # noqa: ANN401 - whatever YAML holds
    """Any value, as lines that continue one that ends with `:`, indented by `indent` more."""
    if isinstance(value, YamlText):
        between = "" if value.text.startswith("\n") else " "
        return between + (value.text.replace("\n", "\n" + " " * indent) if indent else value.text)
    if value and isinstance(value, (dict, list, tuple)):
        lines = [""]
        _write(value, " " * indent, lines)
        return "\n".join(lines)
    return f" {'{}' if isinstance(value, dict) else '[]' if isinstance(value, (list, tuple)) else scalar(value)}"


def document(value: dict[str, Any]) -> str:
    """A file."""
    lines: list[str] = []
    _write(value, "", lines)
    return "\n".join(lines) + "\n" if lines else ""


def _write(value: Any, margin: str, lines: list[str]) -> None:  # noqa: ANN401 - as above
    """Append lines. This is the hot spot of a run, so plain texts take the shortest path."""
    deeper = f"{margin}  "
    if isinstance(value, dict):
        for key, one in value.items():
            start = f"{margin}{_text(str(key))}:"
            if type(one) is str:
                lines.append(f"{start} {_text(one)}")
            elif not one or not isinstance(one, (dict, list, tuple)):
                lines.append(start + block(one, len(margin)))
            else:
                lines.append(start)
                _write(one, deeper if isinstance(one, dict) else margin, lines)
        return
    for one in value:
        if one and isinstance(one, (dict, list, tuple)):
            first = len(lines)
            _write(one, deeper, lines)
            lines[first] = f"{margin}- {lines[first][len(deeper) :]}"
        else:
            lines.append(f"{margin}-{block(one)}")
