"""Problems of broken YAML, with hints, from the errors of the reference parser."""

from __future__ import annotations

import re
from typing import Any

from penstock_spec.findings import Span
from penstock_spec.reading.document import Problem
from penstock_spec.values.strings import printable

OPENED = {"a flow mapping": ("{", "}"), "a flow sequence": ("[", "]")}

COMMENTED = re.compile(r"(?:[:\[,] +|\[)(#[^\s#].*)")
"""A value that starts with `#`; a real comment has a space after it."""

BRACES = re.compile(r"""[:\[,] +([^\s"'{\[,#][^\s,"']*\{\w*\}[^\s,}\]]*|\{\w+\}[^\s,}\]]+)""")
"""A value with a placeholder, such as `media-{hostname}`."""

GLUED = re.compile(r"\s*(?:- )?(\w+)(:?| +)([{\[])")
"""A key followed by a bracket without `: `."""

INLINE = re.compile(r"""\s*(?:- )?\w+: +(\w+: +[^\s"'{}\[\]#][^"'{}\[\]#]*?) *$""")
"""A field of a section on the line of the section's key."""

# A pattern for ruamel.yaml's error, the message and the hint. The first match counts.
PATTERNS = (
    (r"could not find expected ':'", "this line has no `: `", "write `key: value`, with a space after the colon"),
    (
        r"sequence entries",
        "a list starts on the line of its key",
        "start the list on the next line, or write `[...]`",
    ),
    (r"character '`' that cannot start", "a backtick cannot start a value", "put the value in quotes"),
    (r"character '(.)' that cannot start", "`{}` cannot start a value", "put the value in quotes"),
    (
        r"alphabetic or numeric",
        "`*` and `&` start an alias or an anchor, and no name follows",
        "put the value in quotes",
    ),
    (r"unknown escape character '(.)'", r"`\{}` is not an escape", "double the backslash, or use single quotes"),
    (r"escape sequence", "an escape has too few digits", "write all its digits, or use single quotes"),
    (
        r"node content, but found '([]},])'",
        "`{}` is in the place of a value",
        "write a value before it, or remove it",
    ),
    (
        r"node content, but found '<stream end>'",
        "the file ends inside brackets",
        "close every `{{` and `[`",
    ),
    (r"indicator", "`|` and `>` start a text on the next line", "put the value in quotes, or break the line"),
    (r"document start", "this is not a field", "write each field as `key: value`, on a line of its own"),
    (r"", "this cannot be read as YAML", "check quotes, brackets and indentation"),
)


def fast_errors() -> tuple[type[Exception], ...]:
    """The errors of libyaml; the reference parser then decides."""
    from yaml import YAMLError  # noqa: PLC0415 - loaded already when this is called

    return (YAMLError, ValueError)


def reference_errors() -> tuple[type[Exception], ...]:
    """The errors of ruamel.yaml; some defects of its scanner raise other errors than its own."""
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - loaded already when this is called

    return (YAMLError, ValueError, IndexError, AttributeError, AssertionError, TypeError)


def indented_by_tab(file: str, number: int, line: str) -> Problem | None:
    """The problem of a line with a tab in its indentation."""
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    if "\t" not in indent or indent == line:
        return None
    at = Span(file, number, indent.index("\t") + 1, number, len(indent) + 1)
    return Problem("tab-indentation", at, "the indentation contains a tab", "indent with spaces")


def explain(file: str, lines: tuple[str, ...], error: Any) -> Problem:  # noqa: ANN401 - ruamel.yaml's errors have no types
    """The problem of an invalid text, at the place to fix rather than the place where the parser stopped."""
    problem = str(getattr(error, "problem", None) or "it cannot be read as YAML").splitlines()[0]
    context = str(getattr(error, "context", None) or "")
    at = _at(file, lines, getattr(error, "problem_mark", None))
    opened = _at(file, lines, getattr(error, "context_mark", None) or getattr(error, "problem_mark", None))
    line = lines[at.line - 1]
    return (
        _elsewhere(at, line, problem)
        or _unquoted(at, opened, lines, f"{problem} {context}")
        or _unclosed(at, opened, problem, context)
        or _misplaced(at, line, problem)
        or _by_pattern(at, opened, problem)
    )


def _elsewhere(at: Span, line: str, problem: str) -> Problem | None:
    """The problem if another rule describes it better."""
    if tab := indented_by_tab(at.file, at.line, line):
        return tab
    if "\\t" in problem:
        return Problem("tab-indentation", at, "there is a tab where YAML needs spaces", "replace it with spaces")
    return directive(at.file, at.line, line) if line.startswith("%") else None


def directive(file: str, number: int, line: str) -> Problem:
    """The problem of a line that starts with `%`."""
    at = Span(file, number, 1, number, len(line) + 1)
    return Problem("yaml-directive", at, "`%` directives are not allowed", "remove it")


def commented(file: str, number: int, match: re.Match[str] | None) -> Problem | None:
    """The problem of a value that YAML reads as a comment, as in `contact: #media`."""
    if match is None:
        return None
    value = match[1].rstrip("]}, ")
    at = Span(file, number, match.start(1) + 1, number, match.start(1) + len(value) + 1)
    says = f"`{printable(value)}` is a comment, because it starts with `#`"
    return Problem("yaml-syntax", at, says, f'put it in quotes: `"{printable(value)}"`')


def _unquoted(at: Span, opened: Span, lines: tuple[str, ...], problem: str) -> Problem | None:
    """The problem of a bracket that is not closed, or closed too early, because a value in it needs quotes."""
    if "flow" not in problem and "stream end" not in problem:
        return None
    for number in sorted({opened.line, at.line}):
        line = lines[number - 1]
        if comment := commented(at.file, number, COMMENTED.search(line)):
            return comment
        if match := BRACES.search(line):
            place = Span(at.file, number, match.start(1) + 1, number, match.end(1) + 1)
            says = f"YAML reads the braces in `{printable(match[1])}` as a mapping"
            return Problem("yaml-syntax", place, says, f'put it in quotes: `"{printable(match[1])}"`')
    return None


def _unclosed(at: Span, opened: Span, problem: str, context: str) -> Problem | None:
    if "end of stream" in problem and "quoted scalar" in context:
        return Problem("yaml-syntax", opened, "the quote opened here is never closed", "close it")
    for what, (left, right) in OPENED.items():
        if what in context:
            until = "the end of the file" if "stream end" in problem else f"line {at.line}, column {at.column}"
            says = f"the `{left}` opened here has neither `,` nor `{right}` before {until}"
            return Problem("yaml-syntax", opened, says, f"close it with `{right}`, or separate its items with `,`")
    return None


def _misplaced(at: Span, line: str, problem: str) -> Problem | None:
    before = line[: at.column - 1]
    if "mapping values are not allowed" in problem:
        if second := _second_colon(at, line):
            return second
        key = at._replace(column=len(before) - len(before.lstrip()) + 1)
        hint = "indent it like its neighbours, and check that the line above has its `: `"
        return Problem("yaml-syntax", key, "a key is not allowed here", hint)
    if closes := re.search(r"<block end>, but found '([]}])'", problem):
        return Problem("yaml-syntax", at, f"`{closes[1]}` closes no open bracket", "remove it")
    if "expected <block end>" in problem:
        if before.strip(" -?"):
            hint = "put the whole value in one pair of quotes, and double each quote inside it"
            return Problem("yaml-syntax", at, "there is text after the end of the value", hint)
        hint = "indent it like its neighbours, or write `key: value`"
        return Problem("yaml-syntax", at, "this line does not fit the lines above it", hint)
    return None


def _second_colon(at: Span, line: str) -> Problem | None:
    """The problem of a `: ` in a value: another `: `, brackets or quotes are missing."""
    if match := GLUED.match(line):
        place = at._replace(column=match.start(1) + 1, end_column=match.end(3) + 1)
        says = f"`: ` is missing before the `{match[3]}`"
        return Problem("yaml-syntax", place, says, f"write `{match[1]}: {match[3]}`, with a space after the colon")
    says = "this value contains a second `: `"
    if match := INLINE.match(line):
        place = at._replace(column=match.start(1) + 1, end_column=match.end(1) + 1)
        hint = f"write `{{{printable(match[1])}}}` if it is a section; if it is text, put it in quotes"
        return Problem("yaml-syntax", place, says, hint)
    inside = ": " in line[: at.column - 1]
    return Problem("yaml-syntax", at, says, "put the value in quotes") if inside else None


def _by_pattern(at: Span, opened: Span, problem: str) -> Problem:
    # The parser notices a missing colon or name after the place to fix.
    at = opened if "find expected ':'" in problem or "alphabetic" in problem else at
    matches = ((re.search(pattern, problem), says, hint) for pattern, says, hint in PATTERNS)
    return next(
        Problem("yaml-syntax", at, says.format(*match.groups()), hint.format())
        for match, says, hint in matches
        if match
    )


def _at(file: str, lines: tuple[str, ...], mark: Any) -> Span:  # noqa: ANN401 - as above
    if mark is None:
        return Span(file, 1, 1, 1, 1)
    line = min(mark.line, len(lines) - 1)
    column = min(mark.column, len(lines[line])) if mark.line == line else len(lines[line])
    while line and not any(lines[line:]):  # move to the last line with text
        line -= 1
        column = len(lines[line])
    return Span(file, line + 1, column + 1, line + 1, column + 2)
