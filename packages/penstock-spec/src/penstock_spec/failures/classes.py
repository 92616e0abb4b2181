"""What every class of failures says, whatever follows from it."""

from __future__ import annotations

from typing import Annotated

from penstock_spec.model import Section, about
from penstock_spec.values.strings import Text

NO_CLASS = "-"
"""In the place of a class where none matches; no class can have this name."""


MATCHES = "Exception types by name, and HTTP statuses as text; a status such as `5xx` stands for a hundred."


class FailureMatch(Section):
    """Failures of one kind."""

    match: Annotated[list[Text], about(MATCHES, ["TimeoutError", "503"], min_length=1)]
