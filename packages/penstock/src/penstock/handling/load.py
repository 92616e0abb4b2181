"""Imports the handler that a spec names, and checks that it is usable."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ForwardRef, Literal, get_type_hints

from penstock.handling.declare import ATTRIBUTE, Declaration, Lifespan, Middleware
from penstock.handling.team_code import CodeReference, find
from penstock.handling.typed import Make, maker
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline

_HOOKS = ("before", "after", "on_error")


@dataclass(frozen=True, slots=True)
class Handler:
    """An imported handler."""

    name: str
    """The name in the spec."""
    function: Callable[..., Any]
    style: Literal["async", "thread"]
    """A plain function may block, so it runs in a thread."""
    takes: object
    """The type of its first parameter; `Any` without an annotation."""
    make: Make
    """Creates its first argument from the received message."""
    context: bool
    """Whether it also takes a context."""
    middleware: tuple[Middleware, ...]
    lifespan: Lifespan | None


@dataclass(frozen=True, slots=True)
class LoadedFunction:
    """A function of a team's code, with its declaration."""

    function: Callable[..., Any]
    style: Literal["async", "thread"]
    first: inspect.Parameter
    context: bool
    middleware: tuple[Middleware, ...]
    lifespan: Lifespan | None


def load(spec: Pipeline, paths: Iterable[Path] = ()) -> Handler:
    """Import the handler from the current folder, these paths or the installed packages."""
    reference = CodeReference(
        spec.handler, "handler", f"`{spec.name}`", "run this where the code is, or name its folder by `--path`"
    )
    loaded = function_of(reference, "message", paths)
    takes = _type_of(spec.handler, loaded.first, loaded.function)
    return Handler(
        spec.handler,
        loaded.function,
        loaded.style,
        takes,
        maker(takes, spec.handler),
        loaded.context,
        loaded.middleware,
        loaded.lifespan,
    )


def function_of(reference: CodeReference, gets: str, paths: Iterable[Path] = ()) -> LoadedFunction:
    """Import a handler; `gets` is its first argument: a message or a job."""
    function = find(reference, paths)
    example = f"write it as `async def handle({gets}, context)`"
    _check_function(reference.text, function, example)
    first, context = _parameters(reference.text, function, gets, example)
    declared = getattr(function, ATTRIBUTE, Declaration())
    _check_declaration(reference.text, declared)
    style: Literal["async", "thread"] = "async" if _has_trait(inspect.iscoroutinefunction, function) else "thread"
    return LoadedFunction(function, style, first, context, declared.middleware, declared.lifespan)


def _check_function(name: str, function: object, example: str) -> None:
    if inspect.isclass(function):
        raise CannotGoOn(f"`{name}` is a class, and a handler is a function", f"name a function, or {example}")
    if not callable(function):
        says = f"`{name}` is a `{type(function).__qualname__}`, and a handler is a function"
        raise CannotGoOn(says, example)
    if _has_trait(inspect.isgeneratorfunction, function) or _has_trait(inspect.isasyncgenfunction, function):
        says = f"`{name}` has a `yield`, so calling it does nothing"
        raise CannotGoOn(says, "return instead; put what outlives a message into a `lifespan`")


def _has_trait(check: Callable[[Any], bool], function: Any) -> bool:  # noqa: ANN401 - a function, or a callable object
    return check(function) or (not inspect.isroutine(function) and check(getattr(function, "__call__", None)))  # noqa: B004 - it was checked that it is callable


def _parameters(name: str, function: Callable[..., Any], gets: str, example: str) -> tuple[inspect.Parameter, bool]:
    try:
        parameters = list(_signature(function).parameters.values())
    except (ValueError, TypeError):  # written in C, without a signature
        says = f"the parameters of `{name}` are unknown"
        raise CannotGoOn(says, "wrap it in a Python function, and name that one") from None
    positional = [one for one in parameters if one.kind is not one.KEYWORD_ONLY and one.kind is not one.VAR_KEYWORD]
    needed = [one for one in positional if one.default is one.empty and one.kind is not one.VAR_POSITIONAL]
    keyword_only = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    if not positional:
        raise CannotGoOn(f"`{name}` takes no parameter, and a handler gets the {gets}", example)
    if len(needed) > 2:  # noqa: PLR2004 - the message and the context
        names = ", ".join(f"`{one.name}`" for one in needed)
        says = f"`{name}` needs {len(needed)} parameters ({names}), and a handler gets the {gets} and a context"
        raise CannotGoOn(says, example)
    if keyword_only:
        says = f"`{name}` needs `{keyword_only[0]}` by keyword, and a handler gets the {gets} and a context"
        raise CannotGoOn(says, f"give `{keyword_only[0]}` a default, or take it out")
    return positional[0], positional[-1].kind is positional[-1].VAR_POSITIONAL or _takes_context(positional)


def _takes_context(positional: list[inspect.Parameter]) -> bool:
    """Whether the second parameter is a context. With a default, only the names `context` and `ctx` are one."""
    return len(positional) > 1 and (
        positional[1].default is positional[1].empty or positional[1].name in ("context", "ctx")
    )


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    if sys.version_info >= (3, 14):
        import annotationlib  # noqa: PLC0415 - new in Python 3.14

        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(function)


def _type_of(name: str, first: inspect.Parameter, function: Callable[..., Any]) -> object:
    annotation = first.annotation
    if annotation is first.empty:
        return Any
    if not isinstance(annotation, str | ForwardRef):
        return annotation

    def carrier() -> None:
        """Has only this annotation, because the type of a context need not exist at run time."""

    carrier.__annotations__ = {"takes": annotation}
    try:
        return get_type_hints(carrier, globalns=_globals(function), include_extras=True)["takes"]
    except Exception as error:  # noqa: BLE001 - an annotation is an expression, and may raise anything
        text = annotation if isinstance(annotation, str) else annotation.__forward_arg__
        says = f"`{name}` takes a `{text}`, which cannot be found: {type(error).__name__}: {error}"
        raise CannotGoOn(says, "import it outside of `if TYPE_CHECKING:`; it is needed at run time") from None


def _globals(function: Any) -> dict[str, Any]:  # noqa: ANN401 - a function, or a wrapper of one
    """The globals for the names in a function's annotations."""
    while not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
        function = (
            next(
                (getattr(function, way) for way in ("__wrapped__", "__func__", "func") if hasattr(function, way)), None
            )
            or type(function).__call__
        )
    return function.__globals__


def _check_declaration(name: str, declared: object) -> None:
    if not isinstance(declared, Declaration):
        says = f"`{name}` has an attribute `{ATTRIBUTE}` that Penstock did not set"
        raise CannotGoOn(says, "declare it with `@penstock.handler(...)`")
    middleware: tuple[Any, ...] = declared.middleware
    for one in middleware:
        if isinstance(one, type):
            raise CannotGoOn(f"`{one.__qualname__}` of `{name}` is a class", f"write `{one.__qualname__}()`")
        kind = type(one).__qualname__
        if not isinstance(one, Middleware):
            says = f"the middleware of `{name}` contains a `{kind}`"
            raise CannotGoOn(says, "derive it from `penstock.Middleware`")
        plain = next((hook for hook in _HOOKS if not inspect.iscoroutinefunction(getattr(one, hook))), None)
        if plain:
            raise CannotGoOn(f"`{plain}` of `{kind}` is not a coroutine function", f"write `async def {plain}(...)`")
    lifespan: Any = declared.lifespan
    if lifespan is not None and not callable(lifespan):
        says = f"the `lifespan` of `{name}` is not callable"
        raise CannotGoOn(says, "name the function itself, such as an `@asynccontextmanager`")
