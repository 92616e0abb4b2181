"""Redis users (ACL) with the least rights, for all kinds.

The `rights` folder of a kind lists its roles, with the commands and the keys that each needs.
"""
