"""Specs under traffic: inputs, simulations, and their results."""
