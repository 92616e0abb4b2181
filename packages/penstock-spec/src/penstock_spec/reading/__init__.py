"""From bytes to values that know where they stand.

`source` turns bytes into text or says why not; `parsers` turns text into YAML events, by the fast parser where it is
proven equal to the reference; `scalars` gives plain words their YAML 1.2 meaning; `compose` builds the document.
"""

from penstock_spec.reading.document import Document, Path, Place, Problem, dotted, first

__all__ = ["Document", "Path", "Place", "Problem", "dotted", "first", "read"]


def read(file: str, raw: bytes) -> Document:
    """Read one document. Never raises for what is in the file: all that is wrong with it is in `found`."""
    from penstock_spec.reading.compose import read as compose  # noqa: PLC0415 - an unchanged run never parses

    return compose(file, raw)
