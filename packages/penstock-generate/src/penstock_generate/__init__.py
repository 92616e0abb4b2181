"""Generates files from specs: load -> resolve -> plan -> emit -> write. Only the last step touches the disk."""
