"""The ScaledObject of a pipeline, from its template."""

from __future__ import annotations

from typing import Any

import yaml

from penstock_generate.explaining.template_lines import places
from penstock_generate.inputs.plan import DOMAIN
from penstock_generate.pods.facts import PodFacts, Pods
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.scaler.scaled_object import scaled_object
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.manifest_templates import RenderedManifest
from penstock_spec.platform import Environment
from penstock_spec.reading import Path

TEMPLATE = "pipeline/manifests/scaledobject.yaml"
ROLE = "worker"


def pods_of(spec: Pipeline, environment: Environment) -> Pods:
    """The pods of a pipeline."""
    redis, auth = environment.redis, environment.redis.auth
    has_secrets = redis.certificate is not None or (auth is not None and auth.secret is not None)
    return Pods(
        role=ROLE,
        args=(ROLE,),
        scaled_object=scaled_object(spec, environment),
        makes_authentication=has_secrets and (auth is None or auth.trigger_authentication is None),
    )


def artifact(folder: str, facts: PodFacts, spec: Pipeline, environment: Environment, templates: Templates) -> Artifact:
    """The manifest before patches. Lint renders it too, so its template gets only values that need no build."""
    values = {"spec": spec, "around": environment, "domain": DOMAIN, **facts.values()}
    return templates.artifact(f"{folder}/manifests/scaledobject.yaml", TEMPLATE, values)


def rendered(spec: Pipeline, environment: Environment, templates: Templates) -> RenderedManifest:
    """The manifest before patches as data, for rules and simulations."""
    facts = PodFacts.of(spec, environment, pods_of(spec, environment))
    manifest_file = artifact(spec.name, facts, spec, environment, templates)

    def line_of(place: Path) -> str:
        marked = artifact(spec.name, facts, spec, environment, templates.marked())
        line = _line(yaml.compose(manifest_file.content, yaml.CSafeLoader), place)
        return f"templates/{places(marked.content)[line]}"

    return RenderedManifest(parsed(manifest_file), line_of)


def parsed(manifest_file: Artifact) -> dict[str, Any]:
    """A rendered manifest as data."""
    manifest = yaml.load(manifest_file.content, yaml.CSafeLoader)
    if not isinstance(manifest, dict):
        raise CannotGoOn(f"{manifest_file.maker}: this renders no manifest", "begin it with `apiVersion` and `kind`")
    return manifest


def _line(node: yaml.Node | None, place: Path) -> int:
    """The line of the innermost node at or around a place, from 0."""
    line = 0
    for step in place:
        if isinstance(node, yaml.MappingNode):
            match = next(((key, value) for key, value in node.value if key.value == step), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            match = (node.value[step], node.value[step])
        else:
            match = None
        if match is None:
            break
        line, node = match[0].start_mark.line, match[1]
    return line
