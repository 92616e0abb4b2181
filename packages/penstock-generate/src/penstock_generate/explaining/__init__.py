"""Explains a generated line: the fields and the template that it comes from."""
