"""Calls Redis: over single connections, with raw replies, and never repeating a command that may have run."""
