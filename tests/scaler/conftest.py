"""A spec in an environment, as the rules get it."""

from collections.abc import Callable

import pytest
from subjects import subject_of

from penstock_spec.context import SpecContext
from penstock_spec.kinds.pipeline.spec import Pipeline

Specified = Callable[..., SpecContext[Pipeline]]


@pytest.fixture(scope="session")
def specified() -> Specified:
    """The subject of a spec's own lines, with the lines of an environment's Redis."""
    return subject_of
