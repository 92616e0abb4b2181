"""The language of Penstock: models, loading with positions, rules.

Reading never raises for what is in a file: what is wrong is a `Finding`. `CannotGoOn` is the only exception that is
meant for people.
"""

from penstock_spec.findings import CannotGoOn, Finding, Severity, Span

__all__ = ["CannotGoOn", "Finding", "Severity", "Span", "__version__"]
__version__ = "0.1.0"
