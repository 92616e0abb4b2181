"""Dashboards: what they show as values, how Grafana wants it, and how one serves a thousand pipelines."""
