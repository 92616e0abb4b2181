"""Lists, replays and purges dead letters."""
