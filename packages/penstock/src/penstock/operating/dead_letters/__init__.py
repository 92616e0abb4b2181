"""Dead letters: looked through, replayed, purged."""
