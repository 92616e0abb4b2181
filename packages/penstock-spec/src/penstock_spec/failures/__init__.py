"""What a spec says about failures: which class one is of. Both kinds match in the same way."""
