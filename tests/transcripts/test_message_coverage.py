"""A transcript or a rule's example produces every message for people, in each of its wordings.

These tests compare the exact text, so a wrong message, or one that fails while it is built, fails a test.
Messages of the runtime are compared in tests/runtime, those of the generator in tests/generate, and those of the
tools for laptops in tests/dev, tests/screen, tests/scaling and tests/simulate.
A wording is a call that makes a message, or a text of `one if ... else other` in a function with such a call.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from penstock.command import main
from penstock_spec.catalogue import catalogue
from penstock_spec.examples import load, path_of
from penstock_spec.reference.run import run as run_example

Play = Callable[[Path, Callable[[], None]], tuple[str, str]]
Site = tuple[str, int, int, int, int]
Sites = dict[Site, str]

MAKERS = frozenset(
    {
        "Problem",
        "NotFormatted",
        "Refused",
        "problem",
        "refuse",
        "PydanticCustomError",
        "CannotGoOn",
        "UsageError",
        "BadParameter",
    }
)

RUNTIME = frozenset({
    "penstock/handling", "penstock/isolation", "penstock/janitor", "penstock/message", "penstock/observe",
    "penstock/operating", "penstock/pod", "penstock/producer", "penstock/scheduler", "penstock/wire", "penstock/worker",
    "penstock/embedded.py", "penstock/resolved.py",
    "penstock/command/janitor.py", "penstock/command/scheduler.py",
    "penstock_generate", "penstock_dev", "penstock_scaling", "penstock_spec/worker_file.py",
    "penstock_spec/kinds/pipeline/message/schema_of.py",
})  # fmt: skip
"""Sources whose messages are about servers, handlers, messages and generated files."""

SAME = 3
"""Consecutive words of a message that must be in a test of the runtime."""

NEVER_RUN = {
    "` is part of `": "tests/command tests it: all packages are installed wherever tests run",
    "to explain generated files, install": "tests/command tests it: the generator is installed wherever tests run",
    "reading it is not permitted": "tests/reading tests it: root can read everything, so the test drops its rights",
    "the current folder no longer exists": "tests/command tests it: a transcript runs in a folder that exists",
    "its `KIND` names no module": "tests/command/test_incomplete_kind.py tests it: the kinds of Penstock are complete",
    "the module `{error.name}` is missing": "tests/command/test_incomplete_kind.py tests it: see above",
    "the module `{module}` does not define": "tests/command/test_incomplete_kind.py tests it: see above",
}
"""Parts of messages that no transcript can produce, each with the reason and its test."""


@dataclass
class Coverage:
    """Removes each site that runs from `missing`, and traces only functions with missing sites."""

    missing: Sites
    places: dict[CodeType, list[Site]] = field(default_factory=dict)
    missing_in: dict[CodeType, set[Site]] = field(default_factory=dict)

    def has_missing(self, code: CodeType) -> bool:
        """Whether this function has a site that has not run yet."""
        if code not in self.places:
            self.places[code] = [(code.co_filename, *one) for one in positions(code)]
            self.missing_in[code] = {one for one in self.places[code] if one in self.missing}
        return bool(self.missing_in[code])

    def ran(self, code: CodeType, offset: int) -> None:
        site = self.places[code][offset // 2]
        self.missing.pop(site, None)
        self.missing_in[code].discard(site)

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """With `sys.monitoring` from Python 3.12 on, and with `sys.settrace` before."""
        if sys.version_info >= (3, 12):
            with self.monitoring():
                yield
        else:
            before = sys.gettrace()
            sys.settrace(self.trace)
            try:
                yield
            finally:
                sys.settrace(before)

    def trace(self, frame: FrameType, event: str, _arg: Any) -> Any:  # noqa: ANN401 - as Python has it
        if event == "call":
            if not self.has_missing(frame.f_code):
                return None
            frame.f_trace_lines, frame.f_trace_opcodes = False, True
        elif event == "opcode":
            self.ran(frame.f_code, frame.f_lasti)
        return self.trace

    if sys.version_info >= (3, 12):

        @contextmanager
        def monitoring(self) -> Iterator[None]:
            monitoring, tool = sys.monitoring, sys.monitoring.COVERAGE_ID
            starts, instructions = monitoring.events.PY_START, monitoring.events.INSTRUCTION

            def started(code: CodeType, _offset: int) -> Any:  # noqa: ANN401 - a mark of Python's
                if self.has_missing(code):
                    monitoring.set_local_events(tool, code, instructions)
                return monitoring.DISABLE

            def stepped(code: CodeType, offset: int) -> Any:  # noqa: ANN401 - as above
                self.ran(code, offset)
                return monitoring.DISABLE

            monitoring.use_tool_id(tool, "messages")
            monitoring.register_callback(tool, starts, started)
            monitoring.register_callback(tool, instructions, stepped)
            monitoring.set_events(tool, starts)
            monitoring.restart_events()
            try:
                yield
            finally:
                monitoring.set_events(tool, monitoring.events.NO_EVENTS)
                for code in self.places:
                    monitoring.set_local_events(tool, code, monitoring.events.NO_EVENTS)
                monitoring.free_tool_id(tool)


def positions(code: CodeType) -> Iterator[tuple[int, int, int, int]]:
    """Of each instruction, in the form of the syntax tree: line, column, end line, end column."""
    for line, end_line, column, end_column in code.co_positions():
        yield line or 0, column or 0, end_line or 0, end_column or 0


def sites(root: Path) -> Iterator[tuple[Site, str]]:
    """Every wording in a function: its place and its source."""
    for path in sorted(root.glob("packages/*/src/**/*.py")):
        tree = ast.parse(path.read_text())
        for function in (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)):
            inside = list(ast.walk(function))
            calls = [one for one in inside if isinstance(one, ast.Call) and makes_a_message(one, path)]
            nested = {part for one in inside if isinstance(one, ast.JoinedStr) for part in ast.walk(one) if part != one}
            # Before Python 3.12 a part of an f-string has no place of its own.
            either = [one for one in inside if isinstance(one, ast.IfExp) and one not in nested]
            choices = [text for one in either for text in (one.body, one.orelse)]
            for one in [*calls, *(text for text in choices if calls and has_words(text))]:
                yield (str(path), *place(one)), ast.unparse(one)


def place(one: ast.expr) -> tuple[int, int, int, int]:
    return one.lineno, one.col_offset, one.end_lineno or 0, one.end_col_offset or 0


def has_words(one: ast.expr) -> bool:
    """Whether it is a text with a space; a text without one is a field, a kind or a suffix."""
    return (isinstance(one, ast.JoinedStr) or isinstance(getattr(one, "value", None), str)) and " " in ast.unparse(one)


def makes_a_message(call: ast.Call, path: Path) -> bool:
    name = ast.unparse(call.func).rpartition(".")[2]
    if name == "Refused" and "penstock-spec" not in path.parts:
        return False  # the message of this error comes from Redis
    return name in MAKERS or (
        name == "ValueError" and path.name in ("quantities.py", "quantity.py") and bool(call.args)
    )


def lint_examples(folder: Path) -> None:
    for name, rule in catalogue().items():
        examples = load(rule).fails if path_of(rule).exists() else []
        for number, example in enumerate(examples):
            run_example(folder / name / str(number), example)


def source_of_runtime_tests(root: Path) -> str:
    """The texts that they compare with are in it."""
    names = ("runtime", "generate", "scaling", "simulate", "dev", "screen")
    folders = [root / "tests" / name for name in names]
    return "".join(path.read_text() for folder in folders for path in sorted(folder.rglob("*.py")))


def is_tested_in(tests: str, root: Path, site: Site, source: str) -> bool:
    """Whether consecutive constant words of a runtime message are in a runtime test."""
    inside = "/".join(Path(site[0]).relative_to(root).parts[3:])
    if not any(inside == one or inside.startswith(f"{one}/") for one in RUNTIME):
        return False
    tree = ast.parse(Path(site[0]).read_text())
    function = innermost(tree, site[1])
    texts = [one.value for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Constant)]
    texts += [one.value for one in ast.walk(function) if isinstance(one, ast.Constant) and one.lineno <= site[3]]
    pieces = [text.split() for text in texts if isinstance(text, str)]
    runs = {" ".join(piece[at : at + SAME]) for piece in pieces for at in range(len(piece) - SAME + 1)}
    return any(run.strip("`,:;") in tests for run in runs)


def innermost(tree: ast.AST, line: int) -> ast.AST:
    """The function around a line."""
    around = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.lineno <= line <= (one.end_lineno or 0)
    ]
    return max(around, key=lambda one: one.lineno, default=tree)


@pytest.fixture(scope="module")
def every(root: Path) -> Sites:
    return dict(sites(root))


def test_a_test_compares_every_message(root: Path, every: Sites, play: Play, tmp_path: Path) -> None:
    """Each message that this test lists needs a transcript in this folder, or an example beside its rule."""
    coverage = Coverage({site: call for site, call in every.items() if not any(words in call for words in NEVER_RUN)})
    with coverage.measuring():
        lint_examples(tmp_path / "examples")
        for path in sorted(Path(__file__).parent.glob("*.txt")):
            play(path, main)
    tests = source_of_runtime_tests(root)
    missing = {site: call for site, call in coverage.missing.items() if not is_tested_in(tests, root, site, call)}
    untested = [f"{Path(site[0]).relative_to(root)}:{site[1]}: {call}" for site, call in missing.items()]
    if untested:
        pytest.fail("\n".join(["no test compares these messages:", *sorted(untested)]), pytrace=False)


def test_the_makers_of_messages_are_found(every: Sites) -> None:
    """An empty search would let the test above pass."""
    makers = {call.partition("(")[0].rpartition(".")[2] for call in every.values()}
    assert {"Problem", "problem", "refuse", "CannotGoOn", "ValueError"} <= makers


def test_messages_that_no_test_produces_are_listed(tmp_path: Path) -> None:
    """Also if the line makes another message too."""
    path = tmp_path / "packages/one/src/one.py"
    path.parent.mkdir(parents=True)
    path.write_text("def made(it):\n    return it.problem('a b') if it else refuse('c d' if it is None else 'e f')\n")
    coverage = Coverage(dict(sites(tmp_path)))
    names: dict[str, Any] = {"refuse": str}
    exec(compile(path.read_text(), str(path), "exec"), names)  # noqa: S102 - the text above
    with coverage.measuring():
        names["made"](None)
    assert list(coverage.missing.values()) == ["it.problem('a b')", "'e f'"]


@pytest.mark.parametrize("words", NEVER_RUN)
def test_exempt_messages_exist(words: str, every: Sites) -> None:
    """An exemption names exactly one message, and must be removed with it."""
    assert len([call for call in every.values() if words in call]) == 1
