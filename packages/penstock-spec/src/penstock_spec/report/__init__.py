"""Findings in the forms that people and machines read. Each module turns an `Outcome` into text, and does nothing else."""
