"""KEDA's loop and the HPA as functions, and what a pipeline would do under traffic."""
