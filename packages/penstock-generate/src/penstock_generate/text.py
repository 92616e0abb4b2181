"""Values as text. Whatever comes from a spec goes through one of these, and means in the file what it meant there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from penstock_spec.values.yaml_text import quoted
from penstock_spec.values.yaml_text import scalar as _of_12

PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./@-]*(?: [A-Za-z0-9_./@-]+)*")
WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""What one or another parser takes for something else than text: Kubernetes and Helm still read YAML 1.1."""


def scalar(value: object) -> str:
    """One value, read alike by parsers of YAML 1.1 and 1.2."""
    if isinstance(value, str):
        text = str(value)
        return text if PLAIN.fullmatch(text) and text.lower() not in WORDS else quoted(text)
    return _of_12(value)


def block(value: Any, indent: int = 0) -> str:  # noqa: ANN401 - whatever YAML can say
    """Any value, in lines that continue one that ends with `:`, `indent` further in."""
    if (isinstance(value, dict) and value) or (isinstance(value, (list, tuple)) and value):
        return "".join(f"\n{line}" for line in _lines(value, " " * indent))
    return f" {'{}' if isinstance(value, dict) else '[]' if isinstance(value, (list, tuple)) else scalar(value)}"


def document(value: dict[str, Any]) -> str:
    """A whole file."""
    return "".join(f"{line}\n" for line in _lines(value, ""))


def _lines(value: Any, margin: str) -> Iterator[str]:  # noqa: ANN401 - as above
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _entry(f"{margin}{scalar(str(key))}:", one, margin + "  ")
    else:
        for one in value:
            yield from _item(one, margin)


def _entry(start: str, value: Any, margin: str) -> Iterator[str]:  # noqa: ANN401 - as above
    if isinstance(value, dict) and value:
        yield start
        yield from _lines(value, margin)
    elif isinstance(value, (list, tuple)) and value:
        yield start
        yield from _lines(value, margin[2:])
    else:
        yield start + block(value)


def _item(value: Any, margin: str) -> Iterator[str]:  # noqa: ANN401 - as above
    if isinstance(value, (dict, list, tuple)) and value:
        first, *rest = _lines(value, margin + "  ")
        yield f"{margin}- {first[len(margin) + 2 :]}"
        yield from rest
    else:
        yield f"{margin}-{block(value)}"
