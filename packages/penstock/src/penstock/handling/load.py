"""The handler that a spec names: imported, looked at, and refused in words where it cannot be one."""

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
    """A handler, and all that is known of it before its first message."""

    name: str
    """As the spec names it."""
    function: Callable[..., Any]
    style: Literal["async", "thread"]
    """A plain function may block, so it gets a thread."""
    takes: object
    """The type of its first parameter; `Any` where it says none."""
    make: Make
    """Makes its first argument of what was received."""
    context: bool
    """It takes a context as well."""
    middleware: tuple[Middleware, ...]
    lifespan: Lifespan | None


@dataclass(frozen=True, slots=True)
class LoadedFunction:
    """A function of a team's code, and what was declared beside it."""

    function: Callable[..., Any]
    style: Literal["async", "thread"]
    first: inspect.Parameter
    context: bool
    middleware: tuple[Middleware, ...]
    lifespan: Lifespan | None


def load(spec: Pipeline, paths: Iterable[Path] = ()) -> Handler:
    """Import the handler, from the current folder or one of these or what is installed."""
    named = CodeReference(
        spec.handler, "handler", f"`{spec.name}`", "start where the code is, or name its folder by `--path`"
    )
    found = function_of(named, "message", paths)
    takes = _type_of(spec.handler, found.first, found.function)
    return Handler(
        spec.handler,
        found.function,
        found.style,
        takes,
        maker(takes, spec.handler),
        found.context,
        found.middleware,
        found.lifespan,
    )


def function_of(named: CodeReference, gets: str, paths: Iterable[Path] = ()) -> LoadedFunction:
    """Import a handler; what it `gets` beside a context is a message, or a job."""
    function = find(named, paths)
    write_it_so = f"write it as `async def handle({gets}, context)`"
    _refuse_what_is_no_handler(named.text, function, write_it_so)
    first, context = _parameters(named.text, function, gets, write_it_so)
    declared = getattr(function, ATTRIBUTE, Declaration())
    _refuse_wrong_middleware(named.text, declared)
    style: Literal["async", "thread"] = "async" if _is(inspect.iscoroutinefunction, function) else "thread"
    return LoadedFunction(function, style, first, context, declared.middleware, declared.lifespan)


def _refuse_what_is_no_handler(name: str, function: object, write_it_so: str) -> None:
    if inspect.isclass(function):
        raise CannotGoOn(f"`{name}` is a class, and a handler is a function", f"name a function, or {write_it_so}")
    if not callable(function):
        says = f"`{name}` is a `{type(function).__qualname__}`, and a handler is a function"
        raise CannotGoOn(says, write_it_so)
    if _is(inspect.isgeneratorfunction, function) or _is(inspect.isasyncgenfunction, function):
        says = f"`{name}` has a `yield`, so that calling it does nothing"
        raise CannotGoOn(says, "return instead; what is to live longer than a message goes into a `lifespan`")


def _is(what: Callable[[Any], bool], function: Any) -> bool:  # noqa: ANN401 - a function, or an object that is called
    return what(function) or (not inspect.isroutine(function) and what(getattr(function, "__call__", None)))  # noqa: B004 - it is known to be callable


def _parameters(name: str, function: Callable[..., Any], gets: str, write_it_so: str) -> tuple[inspect.Parameter, bool]:
    try:
        parameters = list(_signature(function).parameters.values())
    except (ValueError, TypeError):  # written in C, and says nothing of itself
        says = f"what `{name}` takes cannot be seen"
        raise CannotGoOn(says, "call it from a function of your own, and name that one") from None
    among = [one for one in parameters if one.kind is not one.KEYWORD_ONLY and one.kind is not one.VAR_KEYWORD]
    needed = [one for one in among if one.default is one.empty and one.kind is not one.VAR_POSITIONAL]
    alone = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    if not among:
        raise CannotGoOn(f"`{name}` takes no parameter, and a handler gets the {gets}", write_it_so)
    if len(needed) > 2:  # noqa: PLR2004 - the message and the context
        told = ", ".join(f"`{one.name}`" for one in needed)
        says = f"`{name}` needs {len(needed)} parameters ({told}), and a handler gets the {gets} and a context"
        raise CannotGoOn(says, write_it_so)
    if alone:
        says = f"`{name}` needs `{alone[0]}` by keyword, and a handler gets the {gets} and a context"
        raise CannotGoOn(says, f"give `{alone[0]}` a default, or take it out")
    return among[0], among[-1].kind is among[-1].VAR_POSITIONAL or _takes_context(among)


def _takes_context(among: list[inspect.Parameter]) -> bool:
    """A second parameter with a default is an option of the team's, unless its name says otherwise."""
    return len(among) > 1 and (among[1].default is among[1].empty or among[1].name in ("context", "ctx"))


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    if sys.version_info >= (3, 14):
        import annotationlib  # noqa: PLC0415 - not in earlier Pythons, where no annotation is evaluated late

        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(function)


def _type_of(name: str, first: inspect.Parameter, function: Callable[..., Any]) -> object:
    said = first.annotation
    if said is first.empty:
        return Any
    if not isinstance(said, str | ForwardRef):
        return said

    def carrier() -> None:
        """Has the one annotation that counts: those of a context need not exist at run time."""

    carrier.__annotations__ = {"takes": said}
    try:
        return get_type_hints(carrier, globalns=_globals(function), include_extras=True)["takes"]
    except Exception as error:  # noqa: BLE001 - an annotation is an expression, and may raise anything
        text = said if isinstance(said, str) else said.__forward_arg__
        says = f"`{name}` takes a `{text}`, which cannot be found: {type(error).__name__}: {error}"
        raise CannotGoOn(says, "import it outside of `if TYPE_CHECKING:`; it is needed to make the argument") from None


def _globals(function: Any) -> dict[str, Any]:  # noqa: ANN401 - a function, or what leads to one
    """Where the names in a function's annotations are to be found."""
    while not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
        function = (
            next(
                (getattr(function, way) for way in ("__wrapped__", "__func__", "func") if hasattr(function, way)), None
            )
            or type(function).__call__
        )
    return function.__globals__


def _refuse_wrong_middleware(name: str, declared: object) -> None:
    if not isinstance(declared, Declaration):
        says = f"`{name}` has an attribute `{ATTRIBUTE}` that is not ours"
        raise CannotGoOn(says, "declare it with `@penstock.handler(...)`")
    middleware: tuple[Any, ...] = declared.middleware
    for one in middleware:
        if isinstance(one, type):
            raise CannotGoOn(f"`{one.__qualname__}` of `{name}` is a class", f"write `{one.__qualname__}()`")
        kind = type(one).__qualname__
        if not isinstance(one, Middleware):
            says = f"a `{kind}` stands among the middleware of `{name}`"
            raise CannotGoOn(says, "derive it from `penstock.Middleware`")
        plain = next((hook for hook in _HOOKS if not inspect.iscoroutinefunction(getattr(one, hook))), None)
        if plain:
            raise CannotGoOn(f"`{plain}` of `{kind}` is no coroutine", f"write `async def {plain}(...)`")
    lifespan: Any = declared.lifespan
    if lifespan is not None and not callable(lifespan):
        says = f"the `lifespan` of `{name}` cannot be called"
        raise CannotGoOn(says, "name the function itself, such as an `@asynccontextmanager`")
