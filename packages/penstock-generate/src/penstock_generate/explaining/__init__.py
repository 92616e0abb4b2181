"""Where a generated line comes from: which fields, which template."""
