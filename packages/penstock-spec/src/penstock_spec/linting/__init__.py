"""Lint a repository: shape, overrides, rules, suppressions, and a cache of the results."""
