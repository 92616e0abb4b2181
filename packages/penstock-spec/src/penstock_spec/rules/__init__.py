"""Rules for every kind of spec: reading files, the shape of values, the platform file, suppressions.

One rule is one module: its docstring is its docs page, and the YAML file beside it has specs that fail and specs that
pass. The rules of one kind are in that kind's folder.
"""
