"""Rules about suppressions and acknowledgements."""
