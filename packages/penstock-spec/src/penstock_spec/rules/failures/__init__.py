"""Rules about failure classes, for every kind of spec that has them."""
