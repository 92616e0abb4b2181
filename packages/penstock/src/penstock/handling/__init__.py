"""A team's handler: how it is found, what it is given, and what follows when it fails."""
