"""Rules about the names of jobs and the work they do."""
