"""Rules of suppressions."""
