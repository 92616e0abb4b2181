"""A spec in an environment, as rules receive it."""

from collections.abc import Callable

import pytest
from spec_contexts import context_of

from penstock_spec.context import SpecContext
from penstock_spec.kinds.pipeline.spec import Pipeline

Specified = Callable[..., SpecContext[Pipeline]]


@pytest.fixture(scope="session")
def specified() -> Specified:
    """Creates a subject from lines of a spec and the Redis section of an environment."""
    return context_of
