"""Penstock on a laptop: pipelines that run and scale as in a cluster, simulations, tests of the scaling."""
