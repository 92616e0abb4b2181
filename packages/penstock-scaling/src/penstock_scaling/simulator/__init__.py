"""Simulates a pipeline under traffic: how long messages wait, how many pods there are, and what they cost.

    scenario = Scenario(settings_of(manifest), traffic, HandlingTimes.fixed(2.0), concurrency=16)
    run = simulate(scenario, seed=1)
    run.summary.waited(0.99)

Time advances in ticks of a second, and messages move in cohorts: a day is 86,400 steps at any rate. The same scenario
and random seed give the same run, byte for byte.
"""

from penstock_scaling.simulator.engine import simulate
from penstock_scaling.simulator.handling import HandlingTimes
from penstock_scaling.simulator.run import Series, SimulationRun, Summary
from penstock_scaling.simulator.scenario import Arrivals, Outage, Scenario, Traffic

__all__ = [
    "Arrivals",
    "HandlingTimes",
    "Outage",
    "Scenario",
    "Series",
    "SimulationRun",
    "Summary",
    "Traffic",
    "simulate",
]
