"""Whether a value that a spec says has an effect anywhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from pydantic import ValidationError

from penstock_spec.context import SpecContext, steps
from penstock_spec.kinds.pipeline import KIND, Pipeline
from penstock_spec.layers import Source, layered


def everywhere(subject: SpecContext[Pipeline], named: Collection[str] = ()) -> Iterator[Pipeline]:
    """The spec in every environment of the platform in which it has its shape, or in those that are named."""
    for environment in subject.platform_document.data["environments"]:
        if named and environment not in named:
            continue
        try:
            layers = layered(KIND, subject.layers.document, subject.platform_document, environment)
            yield Pipeline.model_validate(layers.data)
        except ValidationError:  # told where that environment is checked
            continue


def in_vain(subject: SpecContext[Pipeline], path: str, useless: Callable[[Pipeline], bool]) -> bool:
    """Whether the spec says a value that is useless: for one environment in that one, for all of them in every one.

    A default of the platform may well be without effect in one spec; that is no news to the team.
    """
    source = subject.layers.source(steps(path))
    if source is Source.ENVIRONMENT:
        return useless(subject.spec)
    return source is Source.SPEC and useless(subject.spec) and all(useless(one) for one in everywhere(subject))
