"""Rules about all specs of an environment, of every kind."""
