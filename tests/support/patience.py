"""How long a test waits for an event that must happen.

A wait ends when its condition holds, so only a failing test takes this long. The limits suit a shared machine, where a
process gets a tenth of a processor; both are shorter than the ten minutes that mean "forever" in specs of tests.
"""

PATIENCE = 240.0
"""Seconds to wait for one event."""
HANGS = 480.0
"""Seconds after which a scenario counts as hung."""
