"""Rules of shape: whether the values are what the models want."""
