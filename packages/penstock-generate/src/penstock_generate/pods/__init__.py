"""Files around pods of any kind: manifests, the chart's values, rules, the runbook, Redis rights."""
