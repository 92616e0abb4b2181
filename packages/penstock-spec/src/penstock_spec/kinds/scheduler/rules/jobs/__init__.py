"""What jobs are called, and what each of them does."""
