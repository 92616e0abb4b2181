"""What follows from failed runs."""
