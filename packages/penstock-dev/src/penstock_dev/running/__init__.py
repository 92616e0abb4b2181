"""A cluster on a laptop: real processes, scaled with the arithmetic of KEDA and the HPA."""
