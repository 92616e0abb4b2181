"""A cluster on a laptop: real processes, scaled by the arithmetic of KEDA and the HPA."""
