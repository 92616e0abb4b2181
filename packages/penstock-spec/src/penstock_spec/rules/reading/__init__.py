"""Rules about reading a file: encoding, YAML syntax, size."""
