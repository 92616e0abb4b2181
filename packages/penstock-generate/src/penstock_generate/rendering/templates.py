"""Templates: the built-in ones, and a repository's own, which override them.

Every value must pass a filter that quotes it for its file. A value without a filter is refused, so no template, built-
in or own, can let a text of a spec become a part of a manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import meta
from jinja2.ext import Extension
from markupsafe import Markup

from penstock_generate.explaining.template_lines import Marks, places
from penstock_generate.own_templates import BUILT_IN
from penstock_generate.rendering import jinja, markdown, python_literals, yaml_text
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.bytecode import TemplateCache
from penstock_generate.rendering.well_formed import parse_error
from penstock_spec.fields import nearest
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.strings import printable

ENDING = ".j2"
OF_VALUES: dict[str, Callable[[object], str]] = {"y": yaml_text.scalar, "py": python_literals.literal}
"""Filters for YAML and Python, which keep the type of a value."""
OF_TEXTS: dict[str, Callable[[str], str]] = {"md": markdown.words, "code": markdown.code, "sh": markdown.shell}
"""Filters for Markdown, which take texts."""
MANY = 512
FEW = 8
"""The size of a section that is probably one of labels."""
CHART = "chart"
"""The folder that is copied, whatever its files are named."""


class Templates:
    """Templates by name, compiled once."""

    def __init__(self, overrides: Path | None = None, extensions: Sequence[type[Extension]] = ()) -> None:
        """`overrides` is a repository's own folder of templates; it may be missing."""
        if overrides:
            _refuse_unused(overrides)
        folders = [overrides, BUILT_IN] if overrides else [BUILT_IN]
        self._folders = folders
        self._overrides = overrides
        self._is_marked = bool(extensions)
        self._own = _own(overrides) if overrides else {}
        self._loader = jinja2.FileSystemLoader(folders)
        self._environment = jinja.Environment(
            loader=self._loader,
            undefined=jinja2.StrictUndefined,
            autoescape=True,  # distinguishes values that passed a filter from others
            finalize=_written,
            keep_trailing_newline=True,
            extensions=extensions,
            bytecode_cache=None if extensions else TemplateCache(BUILT_IN, Path(jinja.__file__)),
            auto_reload=False,  # a run reads each once
        )
        self._environment.filters |= {"block": _block, **{name: _through(write) for name, write in OF_VALUES.items()}}
        self._environment.filters |= {name: _once(write) for name, write in OF_TEXTS.items()}

    def artifact(self, path: str, name: str, values: dict[str, Any]) -> Artifact:
        """A file of `generated/` from its template."""
        content = self.render(name, values)
        if self.overrides(name):
            self._refuse_unreadable(path, content, name, values)
        return Artifact(path, content, f"templates/{name}{ENDING}")

    def overrides(self, name: str) -> bool:
        """Whether the repository has its own version of a template, or of one that it includes."""
        return bool(self._own) and not self._is_marked and self._is_own(f"{name}{ENDING}")

    def marked(self) -> Templates:
        """The same templates, which mark each line that they render with its origin."""
        return Templates(self._overrides, [Marks])

    def _is_own(self, file: str) -> bool:
        """Whether the repository has this template or one that it includes."""
        known = self._own.get(file)
        if known is None:
            text, _, _ = self._loader.get_source(self._environment, file)
            inside = meta.find_referenced_templates(self._environment.parse(text))
            known = any(one is None or self._is_own(one) for one in inside)
            self._own[file] = known
        return known

    def _refuse_unreadable(self, path: str, content: str, name: str, values: dict[str, Any]) -> None:
        error = parse_error(path, content)
        if error is None:
            return
        marked = self.marked().render(name, values)
        origins = [place for place in places(marked)[: error.line + 1] if place] or [f"{name}{ENDING}:1"]
        line = content.splitlines()[error.line : error.line + 1]
        message = f"templates/{origins[-1]}: this renders an invalid file: {error.message}"
        text = f", `{printable(line[0].strip())}`" if line and line[0].strip() else ""
        raise CannotGoOn(message, f"fix the template; the error is in line {error.line + 1} of the rendered file{text}")

    def copied(self, folder: str) -> Iterator[Artifact]:
        """All files of a folder of templates as they are, for Helm to render; each may be overridden."""
        for built_in in sorted((BUILT_IN / folder).rglob("*")):
            if built_in.is_file():
                name = built_in.relative_to(BUILT_IN).as_posix()
                file = next(there for there in (place / name for place in self._folders) if there.is_file())
                yield Artifact(name, _utf8(file, name), f"templates/{name}", copied=True)

    def render(self, name: str, values: dict[str, Any]) -> str:
        """The text of a template with these values."""
        try:
            return str(self._environment.get_template(f"{name}{ENDING}").render(values))
        except jinja2.TemplateSyntaxError as error:
            raise CannotGoOn(f"{_place(error.filename, error.lineno)}: {error.message}", "fix the template") from None
        except (jinja2.TemplateError, UnfilteredValue) as error:
            raise CannotGoOn(f"{_where(error, name)}: {error}", "fix the template") from None


def _own(overrides: Path) -> dict[str, bool]:
    """The repository's templates by name. In Penstock's own repository they are the built-in ones."""
    if overrides.is_dir() and overrides.samefile(BUILT_IN):
        return {}
    return {file.relative_to(overrides).as_posix(): True for file in overrides.rglob(f"*{ENDING}")}


def _refuse_unused(overrides: Path) -> None:
    """Refuse an own template whose name no built-in one has; names with `_` are for imports."""
    built_in = {file.relative_to(BUILT_IN).as_posix() for file in BUILT_IN.rglob("*") if file.is_file()}
    for top in sorted({name.partition("/")[0] for name in built_in if "/" in name}):
        for file in sorted((overrides / top).rglob(f"*{ENDING}" if top != CHART else "*")):
            name = file.relative_to(overrides).as_posix()
            if name not in built_in and file.is_file() and not file.name.startswith(("_", ".")):
                close = nearest(name, sorted(built_in))
                hint = f"call it `templates/{close}`" if close else "see Penstock's `templates/README.md` for the names"
                raise CannotGoOn(f"templates/{name}: no built-in template has this name", hint)


class UnfilteredValue(Exception):  # noqa: N818 - the name describes the problem
    """A value without a filter."""


def _through(write: Callable[[object], str]) -> Callable[[object], Markup]:
    def written(value: object) -> Markup:
        if isinstance(value, jinja2.Undefined):
            str(value)  # raises its own error
        return Markup(write(value))  # noqa: S704 - the filter has quoted it for the file's format

    return written


def _once(write: Callable[[str], str]) -> Callable[[object], Markup]:
    """Cache results: a page repeats most of its texts."""

    @lru_cache(maxsize=MANY)
    def known(text: str) -> Markup:
        return Markup(write(text))  # noqa: S704 - as above

    return lambda value: known(str(value))


def _block(value: object, indent: int) -> Markup:
    # Only strings: for a cache, `true` and `1` are equal.
    if type(value) is dict and len(value) <= FEW and all(type(one) is str for one in value.values()):
        return _labels(tuple(value.items()), indent)
    return Markup(yaml_text.block(value, indent))  # noqa: S704 - as above


@lru_cache(maxsize=MANY)
def _labels(items: tuple[tuple[str, str], ...], indent: int) -> Markup:
    """Cached: the manifests of one spec repeat the same labels."""
    return Markup(yaml_text.block(dict(items), indent))  # noqa: S704 - as above


def _written(value: object) -> Markup:
    if isinstance(value, Markup):
        return value
    if isinstance(value, jinja2.Undefined):
        str(value)  # raises its own error
    message = "a value has no filter: write `| y` for one value, `| block(N)` for a section"
    raise UnfilteredValue(f"{message}; `| py` in Python, `| md`, `| code` and `| sh` in Markdown")


def _utf8(file: Path, name: str) -> str:
    try:
        return file.read_bytes().decode()
    except UnicodeDecodeError:
        raise CannotGoOn(f"templates/{name}: this is not UTF-8", "save it as UTF-8") from None


def _where(error: BaseException, name: str) -> str:
    """The innermost line of a template in a traceback."""
    place, trace = f"templates/{name}{ENDING}", error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.endswith(ENDING):
            place = _place(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return place


def _place(file: str | None, line: int) -> str:
    parts = Path(file or "").parts
    start = len(parts) - 1 - parts[::-1].index("templates") if "templates" in parts else 0
    return f"{'/'.join(parts[start:])}:{line}"
