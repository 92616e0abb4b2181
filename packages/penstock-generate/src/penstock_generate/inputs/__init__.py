"""A repository as it was read and checked, and each spec in its environment."""
