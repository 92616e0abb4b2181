"""What a pipeline would do under traffic: how long messages wait, how many pods there are, and what that costs.

    scenario = Scenario(settings_of(manifest), traffic, Handling.fixed(2.0), concurrency=16)
    run = simulate(scenario, seed=1)
    run.summary.waited(0.99)

Time goes in ticks of a second, messages in cohorts: a day is 86,400 steps whatever its rate. The same scenario and seed
give the same run, to the byte.
"""

from penstock_scaling.simulator.engine import simulate
from penstock_scaling.simulator.handling import Handling
from penstock_scaling.simulator.run import Run, Series, Summary
from penstock_scaling.simulator.scenario import Arrivals, Outage, Scenario, Traffic

__all__ = ["Arrivals", "Handling", "Outage", "Run", "Scenario", "Series", "Summary", "Traffic", "simulate"]
