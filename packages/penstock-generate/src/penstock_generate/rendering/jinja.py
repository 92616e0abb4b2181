"""Jinja with shortcuts for this use: thousands of similar pages a run, and templates that do not change meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.environment import TemplateModule
from jinja2.utils import missing

WRITING = ("y", "py", "md", "code", "sh", "block")
"""Filters with final results."""


class _AsWritten(CodeGenerator):
    """Skips escaping of what `finalize` has passed, because a page has hundreds of values.

    Results of our own filters skip `finalize` too.
    """

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if not self._as_it_is(frame, finalize):
            super()._output_child_pre(node, frame, finalize)
        elif not _is_written(node):
            self.write(str(finalize.src))

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if not self._as_it_is(frame, finalize):
            super()._output_child_post(node, frame, finalize)
        elif not _is_written(node):
            self.write(")")

    @staticmethod
    def _as_it_is(frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> bool:
        return frame.eval_ctx.autoescape and not frame.eval_ctx.volatile and finalize.src is not None


def _is_written(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.Filter) and node.name in WRITING


class _Template(jinja2.Template):
    _last: tuple[Mapping[str, Any], TemplateModule] | None = None

    def make_module(
        self,
        vars: dict[str, Any] | None = None,  # noqa: A002 - as Jinja calls it
        shared: bool = False,  # noqa: FBT001, FBT002 - as above
        locals: Mapping[str, Any] | None = None,  # noqa: A002 - as above
    ) -> TemplateModule:
        """Cache imported macros: the manifests of one spec import them with the same values."""
        # Its own imports have names here already, but no values yet.
        given = {name: value for name, value in {**(vars or {}), **(locals or {})}.items() if value is not missing}
        if self._last is not None:
            before, module = self._last
            if before.keys() == given.keys() and all(before[name] is value for name, value in given.items()):
                return module
        module = super().make_module(vars, shared, locals)
        self._last = given, module
        return module


class Environment(jinja2.Environment):
    """Looks up and compiles templates."""

    code_generator_class = _AsWritten
    template_class = _Template

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - whatever Jinja takes
        """With Jinja's settings."""
        super().__init__(**settings)
        self._known: dict[str, jinja2.Template] = {}

    def get_template(
        self,
        name: str | jinja2.Template,
        parent: str | None = None,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002 - as Jinja calls it
    ) -> jinja2.Template:
        """Load each template once: a page includes dozens."""
        known = self._known.get(name) if isinstance(name, str) else None
        if known is None:
            known = super().get_template(name, parent, globals)
            self._known[str(known.name)] = known
        return known

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """One flat map: Jinja's chain of maps, which would show later changes, is slow to walk at each include."""
        return {**self.globals, **(d or {})}
