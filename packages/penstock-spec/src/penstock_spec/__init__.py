"""The language of Penstock: models, loading with positions, rules.

Reading never raises for the content of a file: each mistake is a `Finding`. `CannotGoOn` is the only exception whose
message users see.
"""

from penstock_spec.findings import CannotGoOn, Finding, Severity, Span

__all__ = ["CannotGoOn", "Finding", "Severity", "Span", "__version__"]
__version__ = "0.1.0"
