"""Rules about messages and their schema."""
