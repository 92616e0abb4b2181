"""Rules about schedulers together with the other specs of an environment."""
