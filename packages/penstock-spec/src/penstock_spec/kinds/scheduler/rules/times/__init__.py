"""Rules about when jobs run and how long they take."""
