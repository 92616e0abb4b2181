"""The context of a spec that rules check."""

from penstock_spec.context import SpecContext
from penstock_spec.kinds import kinds
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.linting.check import check_platform, resolve
from penstock_spec.platform import Environment
from penstock_spec.reading import read

USUAL = """
kind: pipeline
name: media-cluster
owner: {team: media}
handler: media.clustering:cluster
image: registry.example/media-worker:1.4.2
"""


def context_of(spec: str = "", redis: str = 'addresses: ["redis:6379"]') -> SpecContext[Pipeline]:
    """The context of a spec with these lines, in an environment with this Redis."""
    platform_text = f"kind: platform\nenvironments:\n  dev:\n    namespace: media-dev\n    redis: {{{redis}}}\n"
    platform = check_platform(read("penstock.yaml", platform_text.encode()))
    assert platform.model is not None
    environment: Environment = platform.model.environments["dev"]
    document = read("specs/media-cluster.yaml", (spec + USUAL).encode())
    model, layers = resolve(kinds()["pipeline"], document, platform, "dev")
    return SpecContext(model, "dev", environment, platform.document, layers, lambda _: None)
