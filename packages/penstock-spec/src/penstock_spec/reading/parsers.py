"""Parse text to YAML events, with one of two parsers.

The reference is ruamel.yaml, for YAML 1.2. libyaml (in PyYAML) is twenty times faster, for YAML 1.1. Only its events
are used, never its meaning of words, and only for texts whose events cannot differ unless libyaml refuses them: the
reference reads every text again that libyaml refuses. `tests/equality` compares the two on generated and mutated
documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_Fast: Any
try:
    from yaml import cyaml

    _Fast = cyaml.CParser  # type: ignore[attr-defined] # it has no types
except ImportError:  # PyYAML without libyaml: the reference reads everything, slower and the same
    _Fast = None

# A tab separates tokens for one parser only; a directive changes the grammar; only libyaml reads NEL and separators as
# line breaks (the latter are refused before); a lone CR counts lines differently; the reference reads characters beyond
# the basic plane. libyaml skips a second `...`, accepts a comment without a space after `|` and `>`, and blank
# lines with growing indentation there; in a list it accepts a value right after the colon of a quoted key.
DIFFERS = re.compile(
    r"[\t\r\x85\u2028\u2029\ufeff\U00010000-\U0010ffff]|^%|^\.\.\."
    r"|[|>][-+0-9]{0,2} *(#|\n *(\n|\Z))"
    r"""|["'\]}] *:[^ \n]""",
    re.MULTILINE,
)


def fast(text: str) -> Iterator[Any] | None:
    """The events of a text by libyaml, or None if the grammars differ for it. Raises `yaml.YAMLError`."""
    if _Fast is None or DIFFERS.search(text):
        return None
    return _each(_Fast(text))


def reference(text: str) -> Iterator[Any]:
    """The events of a text by ruamel.yaml. Raises `ruamel.yaml.error.MarkedYAMLError`."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - the import takes 35 ms, and valid specs do not need it

    parsed: Iterator[Any] = YAML(typ="safe", pure=True).parse(text)
    return parsed


def _each(parser: Any) -> Iterator[Any]:  # noqa: ANN401 - libyaml's parser has no types
    while parser.check_event():
        yield parser.get_event()
