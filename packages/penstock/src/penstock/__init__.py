"""Penstock: Redis Streams workers under Kubernetes and KEDA from one YAML spec a pipeline."""

__all__ = ["__version__"]
__version__ = "0.1.0"
