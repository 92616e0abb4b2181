"""The rules that hold for every kind of spec: how files are read, what shape they have, the platform, suppressions.

One rule, one module: its docstring is its page, and the YAML file beside it has a spec that fails and one that passes.
The rules of a kind stand in that kind's folder.
"""
