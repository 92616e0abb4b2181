"""The limits of labels as scripts read them.

A job registers the labels that are limited as `account=a,region=eu`, and each call to acquire has the limits as
`account=3,region=5`. Names and values are quoted, so that none of them has a space, a comma or an equals sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import quote, unquote


def limits_word(limits: Mapping[str, int]) -> str:
    """The limits by label; empty without any."""
    return ",".join(f"{_quoted(label)}={limit}" for label, limit in sorted(limits.items()))


def labels_word(labels: Mapping[str, str], limits: Mapping[str, int]) -> str:
    """The labels of a job that are limited; empty if none is."""
    return ",".join(group(label, value) for label, value in sorted(labels.items()) if label in limits)


def group(label: str, value: str) -> str:
    """The field of a label and a value in the hash of limits."""
    return f"{_quoted(label)}={_quoted(value)}"


def groups(registration: str) -> Iterator[tuple[str, str, str]]:
    """The groups in a job's registration, each with its label and value."""
    words = registration.split()
    if len(words) == LIMITED:
        for one in words[LIMITED - 2].split(","):
            label, _, value = one.partition("=")
            yield one, unquote(label), unquote(value)


LIMITED = 6
"""Words of a registration with limited labels; others have five."""


def _quoted(word: str) -> str:
    return quote(word, safe="")
