"""The configuration of an Alertmanager: which team receives which alert, and which alerts are muted by others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_generate.pods.rules import label_of
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.yaml_text import document
from penstock_spec.platform import Route

SECRETS = "/etc/alertmanager/secrets"
"""The folder where the operator's Alertmanager mounts the secrets of its `spec.secrets`."""
SLACK = ("alertmanager-slack", "url")
"""The secret and its key with Slack's webhook URL."""
PAGERDUTY_KEY = "routing-key"
"""The key in the secret that the platform file names for a team."""
DEFAULT = "default"
CRITICAL = 'severity="critical"'
TEXT = (
    "{{ range .Alerts }}*{{ .Annotations.summary }}* {{ .Annotations.description }}"
    "{{ with .Annotations.runbook_url }} <{{ . }}|Runbook>{{ end }}"
    "{{ with .Annotations.dashboard_url }} <{{ . }}|Dashboard>{{ end }}\n{{ end }}"
)
COLOR = (
    '{{ if ne .Status "firing" }}good{{ else if eq .CommonLabels.severity "critical" }}danger{{ else }}warning{{ end }}'
)
DETAILS = {
    "summary": "{{ .CommonAnnotations.summary }}",
    "description": "{{ range .Alerts.Firing }}{{ .Annotations.description }}\n{{ end }}",
    "runbook": "{{ .CommonAnnotations.runbook_url }}",
    "dashboard": "{{ .CommonAnnotations.dashboard_url }}",
}
WHERE = {"namespace": "{{ .CommonLabels.namespace }}", "team": "{{ .CommonLabels.team }}"}


def emit(it: PlannedEnvironment) -> Iterator[Artifact]:
    """The file."""
    yield Artifact(f"{it.folder}/alertmanager.yaml", document(configuration(it)), __name__)


def configuration(it: PlannedEnvironment) -> dict[str, Any]:
    """The configuration as data."""
    routes, labels = it.around.routes, [label_of(kind) for kind in it.kinds]
    receivers = _Receivers(labels)
    default = routes.get(DEFAULT, Route())
    return {
        "route": {
            "receiver": DEFAULT,
            "group_by": ["alertname", "namespace", *labels],
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": "4h",
            "routes": [
                *(one for team, route in routes.items() if team != DEFAULT for one in _routes(team, route)),
                *([{"matchers": [CRITICAL], "receiver": _critical(DEFAULT)}] if default.pagerduty else []),
            ],
        },
        "receivers": [
            {"name": DEFAULT, **({"slack_configs": [receivers.slack(default.slack)]} if default.slack else {})},
            *([receivers.paged(DEFAULT, default)] if default.pagerduty else []),
            *(one for team, route in routes.items() if team != DEFAULT for one in receivers.receivers(team, route)),
        ],
        "inhibit_rules": [
            # A critical alert of a pipeline mutes its warnings.
            *(
                {
                    "source_matchers": [CRITICAL, _any(label)],
                    "target_matchers": ['severity=~"warning|info"'],
                    "equal": ["namespace", label],
                }
                for label in labels
            ),
            # Without Redis every pipeline alerts; one alert is enough.
            *(
                {
                    "source_matchers": ['alertname="PenstockRedisDown"'],
                    "target_matchers": [_any(label)],
                    "equal": ["namespace"],
                }
                for label in labels
            ),
            {
                "source_matchers": ['alertname="PenstockJanitorAbsent"'],
                "target_matchers": ['alertname="PenstockJanitorMissing"'],
                "equal": ["namespace"],
            },
        ],
    }


def _routes(team: str, route: Route) -> Iterator[dict[str, Any]]:
    """Routes of a team. Alerts for which it has no receiver go to the default route."""
    mine = f'team="{team}"'
    if route.pagerduty:
        yield {"matchers": [mine, CRITICAL], "receiver": _critical(team)}
    if route.slack:
        yield {"matchers": [mine], "receiver": team}


class _Receivers:
    """Texts of notifications for alerts with these labels."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._names = {label: f"{{{{ .CommonLabels.{label} }}}}" for label in labels}
        self._name = "".join(self._names.values())  # an alert has one of them

    def receivers(self, team: str, route: Route) -> Iterator[dict[str, Any]]:
        """The receivers of a team."""
        if route.pagerduty:
            yield self.paged(team, route)
        if route.slack:
            yield {"name": team, "slack_configs": [self.slack(route.slack)]}

    def paged(self, team: str, route: Route) -> dict[str, Any]:
        """The receiver for critical alerts: PagerDuty, and the Slack channel."""
        slack = {"slack_configs": [self.slack(route.slack)]} if route.slack else {}
        page = {
            "routing_key_file": f"{SECRETS}/{route.pagerduty}/{PAGERDUTY_KEY}",
            "description": f"{{{{ .CommonLabels.alertname }}}} {self._name}: {{{{ .CommonAnnotations.summary }}}}",
            "severity": "critical",
            "details": {**DETAILS, **self._names, **WHERE},
        }
        return {"name": _critical(team), **slack, "pagerduty_configs": [page]}

    def slack(self, channel: str) -> dict[str, Any]:
        """The settings of a Slack channel."""
        secret, key = SLACK
        return {
            "api_url_file": f"{SECRETS}/{secret}/{key}",
            "channel": channel.replace("{{", '{{ "{{" }}'),  # Alertmanager treats it as a template too
            "send_resolved": True,
            "color": COLOR,
            "title": f"[{{{{ .Status | toUpper }}}}] {{{{ .CommonLabels.alertname }}}} {self._name}",
            "title_link": "{{ .CommonAnnotations.runbook_url }}",
            "text": TEXT,
        }


def _any(label: str) -> str:
    """A matcher for any value of this label."""
    return f'{label}=~".+"'


def _critical(team: str) -> str:
    """The receiver's name for critical alerts; no team has a slash in its name."""
    return f"{team}/critical"
