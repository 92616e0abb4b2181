"""KEDA's loop and the HPA as functions, and a simulator of a pipeline under traffic.

settings_of(manifest)      the settings of KEDA and the HPA in a ScaledObject, as plain data
Autoscaler(settings)       both, driven by the caller's clock: `due()`, `advance(now, read, replicas)`
Failed                     why a trigger has no number
"""

from penstock_scaling.autoscaler import Autoscaler, Decision
from penstock_scaling.manifest import settings_of
from penstock_scaling.readings import Failed, Readings
from penstock_scaling.settings import Settings

__all__ = ["Autoscaler", "Decision", "Failed", "Readings", "Settings", "settings_of"]
