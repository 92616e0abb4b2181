"""Rules about retries, dead letters and deduplication."""
