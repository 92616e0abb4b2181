"""Read YAML into values with places.

`source` turns bytes into text; `parsers` turns text into YAML events, with the fast parser where it equals the
reference; `scalars` gives plain words their YAML 1.2 meaning; `compose` builds the document.
"""

from penstock_spec.reading.document import Document, Path, Place, Problem, dotted, first

__all__ = ["Document", "Path", "Place", "Problem", "dotted", "first", "read"]


def read(file: str, raw: bytes) -> Document:
    """Read one document. Never raises for the content of the file; its mistakes are in `problems`."""
    from penstock_spec.reading.compose import read as compose  # noqa: PLC0415 - an unchanged run never parses

    return compose(file, raw)
