"""Jinja, as it is used here: some thousand pages of one sort a run, of which nothing changes while it lasts."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.environment import TemplateModule
from jinja2.utils import missing

WRITING = ("y", "py", "md", "code", "sh", "block")
"""Filters whose results stay as they are."""


class _AsWritten(CodeGenerator):
    """What `finalize` lets through stays as it is, so nobody escapes it again: a page has hundreds of values.

    What one of our filters has written would be let through, so it is not even asked.
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
        """The macros that another template imports: the manifests of one spec do so with the same values."""
        # What it imports itself has a name there already, and no value yet.
        given = {name: value for name, value in {**(vars or {}), **(locals or {})}.items() if value is not missing}
        if self._last is not None:
            before, module = self._last
            if before.keys() == given.keys() and all(before[name] is value for name, value in given.items()):
                return module
        module = super().make_module(vars, shared, locals)
        self._last = given, module
        return module


class Environment(jinja2.Environment):
    """Where templates are looked up and compiled."""

    code_generator_class = _AsWritten
    template_class = _Template

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - whatever Jinja takes
        """As Jinja's."""
        super().__init__(**settings)
        self._known: dict[str, jinja2.Template] = {}

    def get_template(
        self,
        name: str | jinja2.Template,
        parent: str | None = None,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002 - as Jinja calls it
    ) -> jinja2.Template:
        """Each once, whoever asks: a page includes some dozens."""
        known = self._known.get(name) if isinstance(name, str) else None
        if known is None:
            known = super().get_template(name, parent, globals)
            self._known[str(known.name)] = known
        return known

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """One map: a chain of them, which would show later changes, is walked in Python at each include."""
        return {**self.globals, **(d or {})}
