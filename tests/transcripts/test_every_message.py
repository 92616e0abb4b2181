"""Every message for people is made by a transcript or by a rule's example, in each of its wordings.

There the exact words are compared: no message is wrong, or fails while it is put together, without a test that knows.
What the runtime says when it meets a server, a handler or a message stands word for word in a test of tests/runtime,
what the generator says in one of tests/generate, and what a laptop's tools say in one of tests/dev, tests/screen,
tests/scaling and tests/simulate.
A wording is a call that makes a message, or words of `one if ... else other` in a function with such a call.
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
"""Of the packages' sources: what speaks of servers, handlers and messages, and of generated files."""

SAME = 3
"""Words in a row of a message that a test of the runtime compares with."""

NEVER_RUN = {
    "` is part of `": "tests/command has it: all packages are installed wherever tests run",
    "to explain generated files, install": "tests/command has it: the generator is installed wherever tests run",
    "reading it is not permitted": "tests/reading has it: root may read everything and must step down for it",
    "the current folder no longer exists": "tests/command has it: a transcript stands in a folder that exists",
}
"""Words of messages that no transcript can have, each with the reason and the test that knows them."""


@dataclass
class Watch:
    """Strikes off the sites that are run, instruction by instruction, where something is still missing."""

    missing: Sites
    places: dict[CodeType, list[Site]] = field(default_factory=dict)
    wanted: dict[CodeType, set[Site]] = field(default_factory=dict)

    def wants(self, code: CodeType) -> bool:
        """There is something in this function that no test has made yet."""
        if code not in self.places:
            self.places[code] = [(code.co_filename, *one) for one in positions(code)]
            self.wanted[code] = {one for one in self.places[code] if one in self.missing}
        return bool(self.wanted[code])

    def ran(self, code: CodeType, offset: int) -> None:
        site = self.places[code][offset // 2]
        self.missing.pop(site, None)
        self.wanted[code].discard(site)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Python 3.12 has an interface for this; before it there is the one of debuggers."""
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
            if not self.wants(frame.f_code):
                return None
            frame.f_trace_lines, frame.f_trace_opcodes = False, True
        elif event == "opcode":
            self.ran(frame.f_code, frame.f_lasti)
        return self.trace

    if sys.version_info >= (3, 12):

        @contextmanager
        def monitoring(self) -> Iterator[None]:
            watch, tool = sys.monitoring, sys.monitoring.COVERAGE_ID
            starts, instructions = watch.events.PY_START, watch.events.INSTRUCTION

            def started(code: CodeType, _offset: int) -> Any:  # noqa: ANN401 - a mark of Python's
                if self.wants(code):
                    watch.set_local_events(tool, code, instructions)
                return watch.DISABLE

            def stepped(code: CodeType, offset: int) -> Any:  # noqa: ANN401 - as above
                self.ran(code, offset)
                return watch.DISABLE

            watch.use_tool_id(tool, "messages")
            watch.register_callback(tool, starts, started)
            watch.register_callback(tool, instructions, stepped)
            watch.set_events(tool, starts)
            watch.restart_events()
            try:
                yield
            finally:
                watch.set_events(tool, watch.events.NO_EVENTS)
                for code in self.places:
                    watch.set_local_events(tool, code, watch.events.NO_EVENTS)
                watch.free_tool_id(tool)


def positions(code: CodeType) -> Iterator[tuple[int, int, int, int]]:
    """Of each instruction; as the syntax tree has them: line, column, end line, end column."""
    for line, end_line, column, end_column in code.co_positions():
        yield line or 0, column or 0, end_line or 0, end_column or 0


def sites(root: Path) -> Iterator[tuple[Site, str]]:
    """Every wording in a function, by its place, as it is written."""
    for path in sorted(root.glob("packages/*/src/**/*.py")):
        tree = ast.parse(path.read_text())
        for function in (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)):
            inside = list(ast.walk(function))
            calls = [one for one in inside if isinstance(one, ast.Call) and makes_a_message(one, path)]
            nested = {part for one in inside if isinstance(one, ast.JoinedStr) for part in ast.walk(one) if part != one}
            # Before Python 3.12 what stands inside an f-string has no place of its own.
            either = [one for one in inside if isinstance(one, ast.IfExp) and one not in nested]
            choices = [text for one in either for text in (one.body, one.orelse)]
            for one in [*calls, *(text for text in choices if calls and has_words(text))]:
                yield (str(path), *place(one)), ast.unparse(one)


def place(one: ast.expr) -> tuple[int, int, int, int]:
    return one.lineno, one.col_offset, one.end_lineno or 0, one.end_col_offset or 0


def has_words(one: ast.expr) -> bool:
    """A text with a blank in it; one without is a field, a kind, an ending."""
    return (isinstance(one, ast.JoinedStr) or isinstance(getattr(one, "value", None), str)) and " " in ast.unparse(one)


def makes_a_message(call: ast.Call, path: Path) -> bool:
    name = ast.unparse(call.func).rpartition(".")[2]
    if name == "Refused" and "penstock-spec" not in path.parts:
        return False  # an answer of Redis has its words from Redis
    return name in MAKERS or (
        name == "ValueError" and path.name in ("quantities.py", "quantity.py") and bool(call.args)
    )


def lint_examples(folder: Path) -> None:
    for name, rule in catalogue().items():
        examples = load(rule).fails if path_of(rule).exists() else []
        for number, example in enumerate(examples):
            run_example(folder / name / str(number), example)


def words_of_the_runtimes_tests(root: Path) -> str:
    """All that they compare with."""
    names = ("runtime", "generate", "scaling", "simulate", "dev", "screen")
    folders = [root / "tests" / name for name in names]
    return "".join(path.read_text() for folder in folders for path in sorted(folder.rglob("*.py")))


def stands_in(proven: str, root: Path, site: Site, words: str) -> bool:
    """Whether a message of the runtime stands in a test of the runtime: some words of it that are always the same."""
    inside = "/".join(Path(site[0]).relative_to(root).parts[3:])
    if not any(inside == one or inside.startswith(f"{one}/") for one in RUNTIME):
        return False
    tree = ast.parse(Path(site[0]).read_text())
    function = innermost(tree, site[1])
    texts = [one.value for one in ast.walk(ast.parse(words)) if isinstance(one, ast.Constant)]
    texts += [one.value for one in ast.walk(function) if isinstance(one, ast.Constant) and one.lineno <= site[3]]
    pieces = [text.split() for text in texts if isinstance(text, str)]
    runs = {" ".join(piece[at : at + SAME]) for piece in pieces for at in range(len(piece) - SAME + 1)}
    return any(run.strip("`,:;") in proven for run in runs)


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


def test_every_message_is_made_in_a_test_that_knows_its_words(
    root: Path, every: Sites, play: Play, tmp_path: Path
) -> None:
    """What is listed here needs a transcript in this folder, or an example beside its rule."""
    watch = Watch({site: call for site, call in every.items() if not any(words in call for words in NEVER_RUN)})
    with watch.watching():
        lint_examples(tmp_path / "examples")
        for path in sorted(Path(__file__).parent.glob("*.txt")):
            play(path, main)
    proven = words_of_the_runtimes_tests(root)
    missing = {site: words for site, words in watch.missing.items() if not stands_in(proven, root, site, words)}
    never = [f"{Path(site[0]).relative_to(root)}:{site[1]}: {words}" for site, words in missing.items()]
    if never:
        pytest.fail("\n".join(["no test knows what is said at", *sorted(never)]), pytrace=False)


def test_the_makers_of_messages_are_found(every: Sites) -> None:
    """Were the search to find nothing, the test above would prove nothing."""
    found = {call.partition("(")[0].rpartition(".")[2] for call in every.values()}
    assert {"Problem", "problem", "refuse", "CannotGoOn", "ValueError"} <= found


def test_commands_that_do_not_run_are_listed(tmp_path: Path) -> None:
    """Also where another message is made in the same line."""
    path = tmp_path / "packages/one/src/one.py"
    path.parent.mkdir(parents=True)
    path.write_text("def told(it):\n    return it.problem('a b') if it else refuse('c d' if it is None else 'e f')\n")
    watch = Watch(dict(sites(tmp_path)))
    space: dict[str, Any] = {"refuse": str}
    exec(compile(path.read_text(), str(path), "exec"), space)  # noqa: S102 - the text above
    with watch.watching():
        space["told"](None)
    assert list(watch.missing.values()) == ["it.problem('a b')", "'e f'"]


@pytest.mark.parametrize("words", NEVER_RUN)
def test_exempt_messages_exist(words: str, every: Sites) -> None:
    """An exemption names one message, and goes when that goes."""
    assert len([call for call in every.values() if words in call]) == 1
