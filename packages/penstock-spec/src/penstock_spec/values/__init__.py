"""What a spec is made of: quantities and words, kept as written and refused with a way out; and values as YAML text."""
