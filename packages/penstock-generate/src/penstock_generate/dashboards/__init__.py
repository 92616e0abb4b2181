"""Dashboards: panels as values, Grafana's JSON, and templates that thousands of specs share."""
