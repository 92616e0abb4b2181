"""What runs a scheduler: jobs in two sorted sets, each moved by a script, and run by whichever pod took it."""
