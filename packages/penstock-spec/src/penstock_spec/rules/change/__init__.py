"""Rules about changes that can lose messages."""
