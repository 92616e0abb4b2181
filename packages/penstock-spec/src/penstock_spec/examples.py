"""The examples of a rule: small repositories that fail or pass.

They are in the YAML file beside the module of the rule. Tests run all of them and the docs show them.
"""

from __future__ import annotations

import re
import sys
from base64 import b64decode
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from penstock_spec.kinds import kinds
from penstock_spec.model import Section
from penstock_spec.reading import read
from penstock_spec.repository import PLATFORM_FILE, SPECS
from penstock_spec.rules.define import Rule

TODAY = date(2027, 1, 1)
"""The day of all examples; suppressions in them expire before or after it."""

SPEC = f"{SPECS}/example.yaml"
DEFAULT_KIND = "pipeline"
"""The kind of examples without a `kind`."""
KIND = re.compile(r"^kind: (\S+)$", re.MULTILINE)
TOP_LEVEL_KEY = re.compile(r"""^["']?([a-z_]+)["']?[ ]*:""", re.MULTILINE)

PLATFORM = """\
kind: platform
environments:
  dev:
    namespace: dev
    redis: {addresses: ["redis:6379"], connections: 10000}
    routes: {default: {slack: "#alerts"}}
  production:
    namespace: production
    redis: {addresses: ["redis:6379"], connections: 10000}
    routes: {default: {slack: "#alerts"}}
"""


class Example(Section):
    """One repository: a spec, several specs or a raw file, with its differences to the default repository."""

    spec: str | None = None
    specs: dict[str, str] = Field(default_factory=dict)
    file: str | None = None
    base64: str | None = None
    times: int = Field(1, ge=2)
    """How often to repeat the text of `file`, for a file that is too large."""
    on_disk: Literal["missing", "folder", "fifo", "loop"] | None = None
    platform: str | None = None
    beside: dict[str, str] = Field(default_factory=dict)
    before: str | None = None
    """The previous spec, for rules about changes."""
    gone: list[str] = Field(default_factory=list)
    """Removed specs, as `environment/name`."""

    @model_validator(mode="after")
    def _has_one_source(self) -> Example:
        sources = [self.spec, self.specs or None, self.file, self.base64, self.on_disk]
        given = sum(source is not None for source in sources)
        if given > 1 or (not given and self.platform is None):
            raise ValueError("an example has one of `spec`, `specs`, `file`, `base64` and `on_disk`, or a `platform`")
        return self

    def files(self) -> dict[str, bytes]:
        """The regular files of the repository by path."""
        files = {PLATFORM_FILE: (PLATFORM if self.platform is None else self.platform).encode()}
        files |= {f"{SPECS}/{name}": text.encode() for name, text in self.beside.items()}
        files |= {f"{SPECS}/{name}": complete(text, Path(name).stem).encode() for name, text in self.specs.items()}
        if self.base64 is not None:
            files[SPEC] = b64decode(self.base64, validate=True)
        elif self.file is not None:
            files[SPEC] = self.file.encode() * self.times
        elif not self.specs and self.on_disk is None:
            files[SPEC] = complete(self.spec or "", "example").encode()
        return files

    def previous(self) -> str | None:
        """The previous file of the spec."""
        return None if self.before is None else complete(self.before, "example")

    def names(self) -> tuple[str, ...]:
        """The paths of the specs."""
        return tuple(f"{SPECS}/{name}" for name in self.specs) or (SPEC,)


class Failing(Example):
    """A repository with exactly one finding of the rule."""

    at: str = Field(pattern=r"^([\w./-]+:)?[0-9]+:[0-9]+$")
    says: str = Field(min_length=1)
    hint: str = Field(min_length=1)
    environments: list[str] = Field(default_factory=list)
    also: list[str] = Field(default_factory=list)

    @property
    def place(self) -> str:
        """`file:line:column`, as in a finding."""
        *named, line, column = self.at.split(":")
        file = named[0] if named else Path(SPEC).name
        return f"{file if file == PLATFORM_FILE else f'{SPECS}/{file}'}:{line}:{column}"


class Passing(Example):
    """A repository without findings of the rule."""


class Examples(Section):
    """All examples of a rule."""

    fails: list[Failing] = Field(min_length=1)
    passes: list[Passing] = Field(min_length=1)


def path_of(rule: Rule) -> Path:
    """The file of a rule's examples."""
    return Path(str(sys.modules[rule.module].__file__)).with_suffix(".yaml")


def load(rule: Rule) -> Examples:
    """The examples of a rule."""
    path = path_of(rule)
    return parse(path.name, path.read_bytes())


def parse(name: str, raw: bytes) -> Examples:
    """The examples in a file; raises `ValueError` for invalid ones."""
    document = read(name, raw)
    if document.problems:
        raise ValueError("\n".join(f"{one.at}: {one.says}; {one.hint}" for one in document.problems))
    return Examples.model_validate(document.data)


def complete(snippet: str, name: str) -> str:
    """A snippet with the required fields of its kind; without a kind it is a pipeline."""
    match = KIND.search(snippet)
    kind = match[1] if match and match[1] in kinds() else DEFAULT_KIND
    needed = {"kind": kind, "name": name, **kinds()[kind].required}
    given = set(TOP_LEVEL_KEY.findall(snippet))
    if snippet and not snippet.endswith("\n"):
        snippet += "\n"
    return snippet + "".join(f"{key}: {value}\n" for key, value in needed.items() if key not in given)
