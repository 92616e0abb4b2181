"""Whether a value in a spec has an effect in any environment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from pydantic import ValidationError

from penstock_spec.context import SpecContext, steps
from penstock_spec.kinds.pipeline import KIND, Pipeline
from penstock_spec.layers import Source, layered


def in_environments(subject: SpecContext[Pipeline], named: Collection[str] = ()) -> Iterator[Pipeline]:
    """The spec in all environments in which it is valid, or in the named ones."""
    for environment in subject.platform_document.data["environments"]:
        if named and environment not in named:
            continue
        try:
            layers = layered(KIND, subject.layers.document, subject.platform_document, environment)
            yield Pipeline.model_validate(layers.data)
        except ValidationError:  # reported when that environment is checked
            continue


def has_no_effect(subject: SpecContext[Pipeline], path: str, useless: Callable[[Pipeline], bool]) -> bool:
    """Whether the spec sets a value without effect: a value of one environment there, any other in all environments.

    A default of the platform file may be without effect in single specs, which is not a finding.
    """
    source = subject.layers.source(steps(path))
    if source is Source.ENVIRONMENT:
        return useless(subject.spec)
    return source is Source.SPEC and useless(subject.spec) and all(useless(spec) for spec in in_environments(subject))
