"""How long a test waits for an event that must happen.

A wait ends when its condition holds, so only a test that fails takes this long. The limits leave room for a machine
that many share, where a process gets a tenth of a processor; both are shorter than the ten minutes that stand for "for
ever" in specs of tests.
"""

PATIENCE = 240.0
"""Seconds for one event."""
HANGS = 480.0
"""Seconds after which a whole scenario counts as hung."""
