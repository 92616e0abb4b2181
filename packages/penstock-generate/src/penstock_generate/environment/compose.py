"""A Compose file that runs all specs of an environment on a laptop."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.environment.manifests import janitor_image
from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates


def emit(it: PlannedEnvironment, templates: Templates) -> Iterator[Artifact]:
    """The file."""
    values = {
        "environment": it.environment,
        "members": it.members,
        "maintained": it.maintained,
        "redis_image": f"redis:{it.around.versions.redis}-alpine",
        "janitor_image": _plain(janitor_image(it)),
        "images": {one.name: _plain(one.image) for one in it.members},
    }
    yield templates.artifact(f"{it.folder}/compose.yaml", "environment/compose.yaml", values)


def _plain(text: str) -> str:
    """Escape `$`: Compose substitutes variables in all values."""
    return text.replace("$", "$$")
