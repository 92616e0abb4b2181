"""Classes of failures, in specs of every kind that has them."""
