"""The rules of `kind: pipeline`, one module each."""
