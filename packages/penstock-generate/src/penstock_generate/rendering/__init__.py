"""Templates, and values written as YAML, PromQL, Python and Markdown."""
