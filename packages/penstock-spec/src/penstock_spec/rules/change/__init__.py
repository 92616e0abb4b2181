"""Rules about what was there before: changes that can lose messages."""
