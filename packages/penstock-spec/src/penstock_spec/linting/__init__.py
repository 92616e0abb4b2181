"""From a repository to findings: shape, overrides, rules, suppressions, and a cache of all of it."""
