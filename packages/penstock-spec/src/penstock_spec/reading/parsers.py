"""Text to YAML events, from one of two parsers.

The reference is ruamel.yaml's, which speaks YAML 1.2. libyaml's (in PyYAML) is twenty times faster and speaks 1.1. Of
1.1 only the grammar of events is used here, never its meaning of words, and only for texts in which the two grammars
cannot differ without libyaml refusing: whatever libyaml refuses is read again by the reference. `tests/equality` holds
the two against each other on generated and mutated documents.
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

# A tab may separate tokens for one parser and not for the other; a directive changes the grammar; NEL and separators
# are line breaks to libyaml alone (the latter never come this far); a lone CR counts lines differently; characters
# outside the basic plane are left to the reference. After `...` libyaml passes over another; after `|` and `>` it takes
# a comment without a space, and blank lines whose indentation grows; in a list it takes a value glued to the colon of a
# quoted key.
DIFFERS = re.compile(
    r"[\t\r\x85\u2028\u2029\ufeff\U00010000-\U0010ffff]|^%|^\.\.\."
    r"|[|>][-+0-9]{0,2} *(#|\n *(\n|\Z))"
    r"""|["'\]}] *:[^ \n]""",
    re.MULTILINE,
)


def fast(text: str) -> Iterator[Any] | None:
    """The events of a text by libyaml, or None where it may not be trusted with it. Raises `yaml.YAMLError`."""
    if _Fast is None or DIFFERS.search(text):
        return None
    return _each(_Fast(text))


def reference(text: str) -> Iterator[Any]:
    """The events of a text by ruamel.yaml. Raises `ruamel.yaml.error.MarkedYAMLError` where it stops."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - 35 ms that a correct spec need not pay

    parsed: Iterator[Any] = YAML(typ="safe", pure=True).parse(text)
    return parsed


def _each(parser: Any) -> Iterator[Any]:  # noqa: ANN401 - libyaml's parser has no types
    while parser.check_event():
        yield parser.get_event()
