"""Types of values in specs: quantities and strings, kept as written, with hints for invalid ones."""
