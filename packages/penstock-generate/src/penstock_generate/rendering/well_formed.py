"""Checks whether a file can be parsed: a repository's own template may render anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import yaml


class ParseError(NamedTuple):
    """The place and the reason of a parse error."""

    line: int
    """Counted from 0."""
    message: str


def parse_error(path: str, content: str) -> ParseError | None:
    """The parse error of a file; None if it is well-formed, or of a format without a parser here."""
    if path.endswith((".yaml", ".yml")):
        return _yaml(content)
    return _python(content) if path.endswith(".py") else None


def _yaml(content: str) -> ParseError | None:
    try:
        root = yaml.compose(content, yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return ParseError(mark.line if mark else 0, ", ".join(filter(None, (error.context, error.problem))))
    except yaml.reader.ReaderError as error:
        return ParseError(content[: error.position].count("\n"), error.reason)
    return next(_twice(root), None) if root else None


def _twice(node: yaml.Node) -> Iterator[ParseError]:
    """Duplicate keys: some parsers take the last one, Kubernetes refuses them."""
    if isinstance(node, yaml.MappingNode):
        known: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in known and key.tag != "tag:yaml.org,2002:merge":
                yield ParseError(key.start_mark.line, f"the key `{name}` appears twice")
            known.add(name)
            yield from _twice(value)
    elif isinstance(node, yaml.SequenceNode):
        for one in node.value:
            yield from _twice(one)


def _python(content: str) -> ParseError | None:
    try:
        compile(content, "<template>", "exec")
    except SyntaxError as error:
        return ParseError((error.lineno or 1) - 1, error.msg)
    except ValueError as error:  # a NUL
        return ParseError(0, str(error))
    return None
