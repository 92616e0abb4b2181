"""Alerts as values, and the rules and tests that follow from them."""
