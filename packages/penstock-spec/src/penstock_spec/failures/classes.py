"""The base of failure classes."""

from __future__ import annotations

from typing import Annotated

from penstock_spec.model import Section, about
from penstock_spec.values.strings import Text

NO_CLASS = "-"
"""The class of a failure that matches none; no class can have this name."""


MATCHES = (
    "Exception types by name, error codes of AWS services such as `AccessDenied`, and HTTP statuses as text; `5xx` "
    "matches all from 500 to 599. Codes of gRPC and Redis count as statuses."
)


class FailureMatch(Section):
    """A class of failures."""

    match: Annotated[list[Text], about(MATCHES, ["TimeoutError", "503"], min_length=1)]
