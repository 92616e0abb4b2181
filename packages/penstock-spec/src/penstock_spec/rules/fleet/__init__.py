"""Rules over all specs of an environment, of whatever kind."""
