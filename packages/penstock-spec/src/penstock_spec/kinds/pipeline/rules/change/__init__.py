"""Rules about what a pipeline was before: changes that can lose messages."""
