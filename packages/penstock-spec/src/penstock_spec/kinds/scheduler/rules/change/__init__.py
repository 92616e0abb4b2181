"""Rules about changes of a scheduler that leave state behind in Redis."""
