"""A repository's own templates, where rules check their result. Rendering them needs penstock-generate."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock_spec.manifest_templates import ManifestTemplates
    from penstock_spec.repository import Inputs, Repository

FOLDER = "templates"


def read_inputs(repository: Repository) -> Inputs:
    """Read the files of a repository, with its templates."""
    from penstock_spec import repository as reading  # noqa: PLC0415 - `--help` imports nothing

    return reading.read_inputs(repository, own_templates(repository.root))


def own_templates(root: Path) -> ManifestTemplates | None:
    """The templates of the repository at `root`; None if it overrides none that rules check."""
    if not (root / FOLDER).is_dir() or importlib.util.find_spec("penstock_generate") is None:
        return None
    templates: ManifestTemplates | None = importlib.import_module("penstock_generate.own_templates").own_templates(root)
    return templates
