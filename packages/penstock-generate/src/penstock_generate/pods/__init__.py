"""What is around whatever runs in pods of its own, of any kind: manifests, the chart's values, rules, a page."""
