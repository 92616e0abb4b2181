"""Failure classes of a spec. All kinds match them in the same way."""
