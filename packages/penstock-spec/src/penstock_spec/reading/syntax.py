"""What the reference parser says of broken YAML, in words that name the way out."""

from __future__ import annotations

import re
from typing import Any

from penstock_spec.findings import Span
from penstock_spec.reading.document import Found

OPENED = {"a flow mapping": ("{", "}"), "a flow sequence": ("[", "]")}


def fast_errors() -> tuple[type[Exception], ...]:
    """How libyaml refuses: by an error of YAML or of text. Either way the reference decides."""
    from yaml import YAMLError  # noqa: PLC0415 - loaded already when this is asked

    return (YAMLError, ValueError)


def reference_errors() -> tuple[type[Exception], ...]:
    """How ruamel.yaml refuses; some slips of its scanner surface as other errors than its own."""
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - loaded already when this is asked

    return (YAMLError, ValueError, IndexError, AttributeError, AssertionError, TypeError)


def explain(file: str, lines: tuple[str, ...], error: Any) -> Found:  # noqa: ANN401 - ruamel.yaml's errors have no types
    """The finding for a text that is not YAML, where the reader can mend it rather than where the parser gave up."""
    problem = str(getattr(error, "problem", None) or "it cannot be read as YAML")
    context = str(getattr(error, "context", None) or "")
    at = _at(file, lines, getattr(error, "problem_mark", None))
    opened = getattr(error, "context_mark", None)
    if "\\t" in problem:
        return Found("tab-indentation", at, "a tab stands where YAML wants spaces", "indent and separate with spaces")
    if "end of stream" in problem and "quoted scalar" in context and opened is not None:
        at = _at(file, lines, opened)
        return Found("yaml-syntax", at, "the quote that opens here is never closed", "close it")
    for what, (left, right) in OPENED.items():
        if what in context and opened is not None:
            at_open = _at(file, lines, opened)
            says = f"the `{left}` that opens here is not closed as it should be: {_where(at)}"
            return Found("yaml-syntax", at_open, says, f"close it with `{right}`, and separate its items with `,`")
    if "mapping values are not allowed" in problem:
        says = "a second `: ` in a value, or a key indented deeper than its neighbours"
        return Found("yaml-syntax", at, says, "quote the value, or indent the key as the keys beside it")
    starter = re.search(r"found character '(.)' that cannot start", problem)
    if starter:
        says = f"`{starter[1]}` cannot start a value"
        return Found("yaml-syntax", at, says, "put the value in quotes")
    if "could not find expected ':'" in problem:
        return Found("yaml-syntax", at, "a key without a `:`, above here", "write `key: value`")
    if "expected <block end>" in problem:
        says = "this line does not fit the lines above it"
        return Found("yaml-syntax", at, says, "indent it as its neighbours, or write `key: value`")
    return Found("yaml-syntax", at, problem.splitlines()[0], "see that quotes, brackets and indentation match")


def _at(file: str, lines: tuple[str, ...], mark: Any) -> Span:  # noqa: ANN401
    if mark is None:
        return Span(file, 1, 1, 1, 1)
    line = min(mark.line, len(lines) - 1)
    column = min(mark.column, len(lines[line])) if mark.line == line else len(lines[line])
    return Span(file, line + 1, column + 1, line + 1, column + 2)


def _where(at: Span) -> str:
    return f"something else stands in line {at.line}, column {at.column}"
