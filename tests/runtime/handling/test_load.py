"""A handler is loaded, or refused with a message and a hint."""

import sys
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from penstock.handling.declare import Middleware
from penstock.handling.load import Handler, load
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline

Load = Callable[[str, str], Handler]
NUMBERS = count()


def spec(handler: str) -> Pipeline:
    return Pipeline.model_validate(
        {
            "kind": "pipeline",
            "name": "thumbnails",
            "owner": {"team": "media"},
            "handler": handler,
            "image": "registry.example/media:1.0.0",
        }
    )


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Write the team's code into the current folder, as a module that no test has imported before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def loaded(text: str, name: str = "handle") -> Handler:
        module = f"team_{next(NUMBERS)}"
        (tmp_path / f"{module}.py").write_text(dedent(text))
        try:
            return load(spec(f"{module}:{name}"))
        except CannotGoOn as error:
            error.says = error.says.replace(module, "team")
            error.hint = error.hint.replace(module, "team")
            raise

    return loaded


HANDLERS: dict[str, tuple[str, str, object, bool]] = {
    "a coroutine": ("async def handle(message, context): ...", "async", Any, True),
    "a function": ("def handle(message, context): ...", "thread", Any, True),
    "without a context": ("async def handle(message): ...", "async", Any, False),
    "typed": ("async def handle(message: dict, context): ...", "async", dict, True),
    "typed by a name defined later": (
        "from __future__ import annotations\nasync def handle(message: Job): ...\nJob = dict",
        "async",
        dict,
        False,
    ),
    "typed by text": ("async def handle(message: 'bytes'): ...", "async", bytes, False),
    "with a context for type checkers only": (
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from nowhere import Context
        async def handle(message: dict, context: Context) -> Nothing: ...
        """,
        "async",
        dict,
        True,
    ),
    "with an option": ("async def handle(message, retries=3): ...", "async", Any, False),
    "with a context that has a default": ("async def handle(message, context=None): ...", "async", Any, True),
    "with options by keyword": ("async def handle(message, *, retries=3, **more): ...", "async", Any, False),
    "with any arguments": ("async def handle(*arguments): ...", "async", Any, True),
    "with any arguments after the message": ("async def handle(message, *more): ...", "async", Any, True),
    "a callable object": (
        """
        class Handle:
            async def __call__(self, message: bytes, context): ...
        handle = Handle()
        """,
        "async",
        bytes,
        True,
    ),
    "a callable object that blocks": (
        """
        from __future__ import annotations
        class Handle:
            def __call__(self, message: bytes): ...
        handle = Handle()
        """,
        "thread",
        bytes,
        False,
    ),
    "a method": (
        """
        from __future__ import annotations
        class Team:
            async def handle(self, message: bytes, context): ...
        handle = Team().handle
        """,
        "async",
        bytes,
        True,
    ),
    "a partial": (
        """
        from __future__ import annotations
        from functools import partial
        async def work(index, message: bytes, context): ...
        handle = partial(work, 5)
        """,
        "async",
        bytes,
        True,
    ),
    "wrapped": (
        """
        from __future__ import annotations
        import functools
        def logged(function):
            @functools.wraps(function)
            async def inner(*arguments):
                return await function(*arguments)
            return inner
        @logged
        async def handle(message: bytes, context): ...
        """,
        "async",
        bytes,
        True,
    ),
    "wrapped by another module": (
        """
        from __future__ import annotations
        import contextlib
        Job = bytes
        class Around(contextlib.ContextDecorator, contextlib.nullcontext): ...
        @Around()  # the resulting function belongs to a module without `Job`
        def handle(message: Job): ...
        """,
        "thread",
        bytes,
        False,
    ),
}


@pytest.mark.parametrize(("text", "style", "takes", "context"), HANDLERS.values(), ids=HANDLERS)
def test_the_style_of_a_handler_is_detected(text: str, style: str, takes: object, context: bool, code: Load) -> None:  # noqa: FBT001 - a parameter of the test
    loaded_handler = code(text, "handle")
    assert (loaded_handler.style, loaded_handler.takes, loaded_handler.context) == (style, takes, context)
    assert (loaded_handler.middleware, loaded_handler.lifespan) == ((), None)
    assert callable(loaded_handler.function)


def test_a_name_may_have_dots(code: Load) -> None:
    loaded_handler = code("class Jobs:\n    @staticmethod\n    async def handle(message): ...", "Jobs.handle")
    assert loaded_handler.function.__qualname__ == "Jobs.handle"


def test_the_given_folders_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "team_elsewhere.py").write_text("def handle(message): ...")
    assert load(spec("team_elsewhere:handle"), [tmp_path]).name == "team_elsewhere:handle"


def test_declarations_are_found(code: Load) -> None:
    loaded_handler = code(
        """
        import contextlib, functools, penstock.handling.declare as penstock
        class Timing(penstock.Middleware):
            async def before(self, message, context): ...
        @contextlib.asynccontextmanager
        async def connected():
            yield
        @penstock.handler(middleware=[Timing()], lifespan=connected)
        async def handle(message): ...
        """,
        "handle",
    )
    assert [type(one).__name__ for one in loaded_handler.middleware] == ["Timing"]
    assert isinstance(loaded_handler.middleware[0], Middleware)
    assert loaded_handler.lifespan is not None
    assert loaded_handler.lifespan.__name__ == "connected"


def test_output_of_an_import_does_not_reach_stdout(code: Load, capsys: pytest.CaptureFixture[str]) -> None:
    code("print('hello')\ndef handle(message): ...", "handle")
    assert capsys.readouterr() == ("", "hello\n")


def test_the_annotation_decides_the_argument(code: Load) -> None:
    loaded_handler = code("from collections.abc import Mapping\ndef handle(message: Mapping[str, int]): ...", "handle")
    assert loaded_handler.takes == Mapping[str, int]
    with pytest.raises(CannotGoOn, match="cannot be created from a body"):
        code("import threading\ndef handle(message: threading.Thread): ...", "handle")


REFUSED: dict[str, tuple[str, str, str]] = {
    "no such name": (
        "def handel(message): ...",
        "`team` has no `handle`, which `thumbnails` names",
        "write `team:handel`",
    ),
    "no name like it": (
        "",
        "`team` has no `handle`, which `thumbnails` names",
        "correct `handler`",
    ),
    "a name whose lookup fails": (
        "def __getattr__(name): raise RuntimeError('not today')",
        "`team:handle` of `thumbnails` failed: RuntimeError: not today",
        "see the code of that module",
    ),
    "not importable": (
        "import nowhere.at.all",
        "`team:handle` of `thumbnails` cannot be imported: No module named 'nowhere'",
        "install the package that provides `nowhere`, or run this where the code is, or name its folder by `--path`",
    ),
    "a name that cannot be imported": (
        "from os import nothing",
        "`team:handle` of `thumbnails` cannot be imported: cannot import name 'nothing' from 'os' ",
        "run `python -c 'import team'` to see where",
    ),
    "an error": (
        "1 / 0",
        "`team` failed to import: ZeroDivisionError: division by zero",
        "run `python -c 'import team'` to see where",
    ),
    "an error without a text": (
        "raise ValueError",
        "`team` failed to import: ValueError",
        "run `python -c 'import team'` to see where",
    ),
    "an exit": (
        "import sys; sys.exit(3)",
        "`team` failed to import: SystemExit: 3",
        "run `python -c 'import team'` to see where",
    ),
    "an exception of its own": (
        "class Stop(BaseException): ...\nraise Stop('now')",
        "`team` failed to import: Stop: now",
        "run `python -c 'import team'` to see where",
    ),
    "a syntax error": (
        "def handle(",
        "`team` failed to import: SyntaxError: '(' was never closed (team.py, line 1)",
        "run `python -c 'import team'` to see where",
    ),
    "a number": (
        "handle = 5",
        "`team:handle` is a `int`, and a handler is a function",
        "write it as `async def handle(message, context)`",
    ),
    "a class": (
        "class handle: ...",
        "`team:handle` is a class, and a handler is a function",
        "name a function, or write it as `async def handle(message, context)`",
    ),
    "a generator": (
        "def handle(message):\n    yield",
        "`team:handle` has a `yield`, so calling it does nothing",
        "return instead; put what outlives a message into a `lifespan`",
    ),
    "an async generator": (
        "async def handle(message):\n    yield",
        "`team:handle` has a `yield`, so calling it does nothing",
        "return instead; put what outlives a message into a `lifespan`",
    ),
    "an object that yields": (
        "class Handle:\n    def __call__(self, message):\n        yield\nhandle = Handle()",
        "`team:handle` has a `yield`, so calling it does nothing",
        "return instead; put what outlives a message into a `lifespan`",
    ),
    "no parameter": (
        "async def handle(): ...",
        "`team:handle` takes no parameter, and a handler gets the message",
        "write it as `async def handle(message, context)`",
    ),
    "parameters by keyword only": (
        "async def handle(*, message): ...",
        "`team:handle` takes no parameter, and a handler gets the message",
        "write it as `async def handle(message, context)`",
    ),
    "three parameters": (
        "async def handle(message, context, log): ...",
        "`team:handle` needs 3 parameters (`message`, `context`, `log`), and a handler gets the message and a context",
        "write it as `async def handle(message, context)`",
    ),
    "a required keyword": (
        "async def handle(message, *, index): ...",
        "`team:handle` needs `index` by keyword, and a handler gets the message and a context",
        "give `index` a default, or take it out",
    ),
    "a function without a signature": (
        "handle = max",
        "the parameters of `team:handle` are unknown",
        "wrap it in a Python function, and name that one",
    ),
    "a missing type": (
        "from __future__ import annotations\nasync def handle(message: Job): ...",
        "`team:handle` takes a `Job`, which cannot be found: NameError: name 'Job' is not defined",
        "import it outside of `if TYPE_CHECKING:`; it is needed at run time",
    ),
    "a type that fails": (
        "async def handle(message: '1 / 0'): ...",
        "`team:handle` takes a `1 / 0`, which cannot be found: ZeroDivisionError: division by zero",
        "import it outside of `if TYPE_CHECKING:`; it is needed at run time",
    ),
    "a reserved attribute": (
        "async def handle(message): ...\nhandle.__penstock__ = 5",
        "`team:handle` has an attribute `__penstock__` that Penstock did not set",
        "declare it with `@penstock.handler(...)`",
    ),
    "a class among the middleware": (
        """
        import penstock.handling.declare as penstock
        class Timing(penstock.Middleware): ...
        @penstock.handler(middleware=[Timing])
        async def handle(message): ...
        """,
        "`Timing` of `team:handle` is a class",
        "write `Timing()`",
    ),
    "an invalid value among the middleware": (
        """
        import penstock.handling.declare as penstock
        @penstock.handler(middleware=[5])
        async def handle(message): ...
        """,
        "the middleware of `team:handle` contains a `int`",
        "derive it from `penstock.Middleware`",
    ),
    "middleware that blocks": (
        """
        import penstock.handling.declare as penstock
        class Timing(penstock.Middleware):
            def after(self, message, context, result): ...
        @penstock.handler(middleware=[Timing()])
        async def handle(message): ...
        """,
        "`after` of `Timing` is not a coroutine function",
        "write `async def after(...)`",
    ),
    "a lifespan that was called": (
        """
        import contextlib, penstock.handling.declare as penstock
        @penstock.handler(lifespan=contextlib.nullcontext())
        async def handle(message): ...
        """,
        "the `lifespan` of `team:handle` is not callable",
        "name the function itself, such as an `@asynccontextmanager`",
    ),
}


@pytest.mark.parametrize(("text", "says", "hint"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_has_a_cause_and_a_hint(text: str, says: str, hint: str, code: Load) -> None:
    with pytest.raises(CannotGoOn) as raised:
        code(text, "handle")
    assert raised.value.says.startswith(says) if says.endswith(" ") else raised.value.says == says
    assert raised.value.hint == hint
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_a_name_in_a_class_is_found(code: Load) -> None:
    with pytest.raises(CannotGoOn) as raised:
        code("class Jobs:\n    @staticmethod\n    def resize(message): ...", "Jobs.resise")
    assert raised.value.says == "`team` has no `Jobs.resise`, which `thumbnails` names"
    assert raised.value.hint == "write `team:Jobs.resize`"


@pytest.mark.parametrize("name", ["nowhere:handle", "nowhere.at.all:handle", "email.nowhere:handle"])
def test_a_missing_module_gets_a_hint(name: str) -> None:
    with pytest.raises(CannotGoOn, match=r"cannot be imported: No module named") as raised:
        load(spec(name))
    assert raised.value.hint == "run this where the code is, or name its folder by `--path`"


def test_a_keyboard_interrupt_is_passed_on(code: Load) -> None:
    with pytest.raises(KeyboardInterrupt):
        code("raise KeyboardInterrupt", "handle")
