"""The ScaledObject as a repository's own templates render it, for rules, simulations and the emitted file alike."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock_spec.files import digest
from penstock_spec.linting import cache
from penstock_spec.manifest_templates import RenderedManifest

if TYPE_CHECKING:
    from penstock_generate.rendering.templates import Templates
    from penstock_spec.platform import Environment

FOLDER = "templates"
BUILT_IN = Path(__file__).parent / "templates"
NAMES = ("pipeline/manifests/scaledobject.yaml.j2", "pods/_parts.j2")
"""The templates that a ScaledObject is made of."""
TOOLS = ("penstock-generate", "Jinja2")
"""Packages whose version changes the output."""


def own_templates(root: Path) -> OwnTemplates | None:
    """The templates of a repository; None if it overrides none of a ScaledObject. Nothing is rendered yet."""
    folder = root / FOLDER
    if not any((folder / name).is_file() for name in NAMES) or folder.samefile(BUILT_IN):
        return None
    return OwnTemplates(folder)


class OwnTemplates:
    """Renders ScaledObjects from a repository's own folder of templates."""

    def __init__(self, folder: Path) -> None:
        """The templates in this folder; the built-in ones are the fallback."""
        self._folder = folder

    @cached_property
    def key(self) -> str:
        """A digest of the templates and of the tools that render them."""
        return cache.fingerprint((Path(__file__).parent,), TOOLS, *contents(self._folder))

    @cached_property
    def _templates(self) -> Templates:
        from penstock_generate.rendering.templates import Templates  # noqa: PLC0415 - a run without changes needs none

        return Templates(self._folder)

    def scaled_object(self, spec: Any, environment: Environment) -> RenderedManifest:  # noqa: ANN401 - the model of any kind
        """The ScaledObject of a pipeline, before patches."""
        from penstock_generate.kinds import scaled_object_renderer  # noqa: PLC0415 - as above

        return scaled_object_renderer(spec.kind)(spec, environment, self._templates)


def contents(*folders: Path) -> list[str]:
    """The names and digests of all files in folders of templates."""
    names_and_digests = []
    for folder in folders:
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            names_and_digests += [path.relative_to(folder).as_posix(), digest(path.read_bytes()) or ""]
    return names_and_digests
