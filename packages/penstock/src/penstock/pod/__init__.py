"""What every pod that runs a team's code has, whatever its kind: a loop beside the loop, and a way to end."""
