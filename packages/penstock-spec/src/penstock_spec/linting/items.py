"""The items of a list of a file, as models."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from penstock_spec.model import Section
from penstock_spec.reading import Document

SectionT = TypeVar("SectionT", bound=Section)


def items(document: Document, key: str, model: type[SectionT]) -> list[SectionT]:
    """The items under a key. Empty if one of them is invalid: the shape check reports that."""
    data = document.data.get(key)
    try:
        return [model.model_validate(one) for one in data] if isinstance(data, list) else []
    except ValidationError:
        return []
