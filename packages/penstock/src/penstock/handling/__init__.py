"""Loads a team's handler, calls it, and decides what follows a failure."""
