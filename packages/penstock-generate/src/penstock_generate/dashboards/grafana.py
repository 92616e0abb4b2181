"""Grafana's JSON of a dashboard, by the Foundation SDK.

The result is deterministic. The id of a panel follows from its row and title, so that a new panel does not change links
to the others.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import Any
from zlib import crc32

from penstock_generate.dashboards.panel import Dashboard, Look, Mark, Panel, Row, Target, Variable

SCHEMA = 36
"""The schema version of the SDK's models; Grafana migrates newer ones itself."""
DATASOURCE = "datasource"
IDS = 1_000_000
NOISE = {"transformations": [], "transparent": False, "repeatDirection": "h", "options": None, "style": "dark"}
"""Values that the SDK always writes although they are Grafana's defaults."""
SIZES: dict[Look, tuple[int, int]] = {"number": (4, 4), "lines": (8, 8), "areas": (8, 8), "table": (24, 9)}
"""Width, of 24, and height."""


def to_grafana(dashboard: Dashboard) -> dict[str, Any]:
    """As data with sorted keys."""
    # Importing the SDK takes 80 ms, which a command without changes should not pay.
    from grafana_foundation_sdk.builders import dashboard as sdk  # noqa: PLC0415 - as the comment says
    from grafana_foundation_sdk.cog.encoder import JSONEncoder  # noqa: PLC0415 - as above
    from grafana_foundation_sdk.models import dashboard as models  # noqa: PLC0415 - as above

    builder = (
        sdk.Dashboard(dashboard.title)
        .uid(dashboard.uid)
        .description(dashboard.description)
        .tags(list(dashboard.tags))
        .editable()
        .time("now-3h", "now")
        .refresh("30s")
        .timezone("browser")
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .with_variable(sdk.DatasourceVariable(DATASOURCE).type("prometheus").label("Data source"))
    )
    for variable in dashboard.variables:
        builder.with_variable(_variable(variable))
    for mark in dashboard.marks:
        builder.annotation(_mark(mark))
    for row in dashboard.rows:
        builder.with_row(sdk.Row(row.title).id(_id(row.title)))
        for panel in row.panels:
            builder.with_panel(_panel(panel, row))
    for link in dashboard.links:
        builder.link(
            sdk.DashboardLink(link.title)
            .url(link.url)
            .type(models.DashboardLinkType.LINK)
            .target_blank(target_blank=True)
        )
    data: dict[str, Any] = json.loads(JSONEncoder(sort_keys=True).encode(builder.build()))
    tidied: dict[str, Any] = _tidied(data | {"schemaVersion": SCHEMA})
    return tidied


def _tidied(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Without defaults. The `null` of a threshold's first step stays: it means minus infinity."""
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if not (key in NOISE and one == NOISE[key])}
        if "skipUrlSync" in kept:  # a variable: its name identifies it
            kept.pop("id", None)
        return {key: _tidied(kept[key]) for key in sorted(kept)}
    return [_tidied(one) for one in value] if isinstance(value, list) else value


def _id(*names: str) -> int:
    return crc32("/".join(names).encode()) % IDS + 1


def _source() -> Any:  # noqa: ANN401 - the SDK's, which is imported late
    from grafana_foundation_sdk.models.dashboard import DataSourceRef  # noqa: PLC0415 - as in `to_grafana`

    return DataSourceRef(type_val="prometheus", uid=f"${{{DATASOURCE}}}")


def _variable(variable: Variable) -> Any:  # noqa: ANN401 - as above
    from grafana_foundation_sdk.builders import dashboard as sdk  # noqa: PLC0415 - as in `to_grafana`
    from grafana_foundation_sdk.models.dashboard import VariableRefresh, VariableSort  # noqa: PLC0415 - as in `to_grafana`

    return (
        sdk.QueryVariable(variable.name)
        .label(variable.name.capitalize())
        .query(variable.query)
        .datasource(_source())
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.ALPHABETICAL_ASC)
        .multi(multi=True)
        .include_all(include_all=True)
        .all_value(".+")
    )


def _mark(mark: Mark) -> Any:  # noqa: ANN401 - as above
    from grafana_foundation_sdk.builders import dashboard as sdk  # noqa: PLC0415 - as in `to_grafana`

    annotation = sdk.AnnotationQuery().name(mark.name).datasource(_source()).icon_color("blue")
    return annotation.enable(enable=True).expr(mark.query)


def _panel(panel: Panel, row: Row) -> Any:  # noqa: ANN401 - as above
    from grafana_foundation_sdk.builders import stat, table, timeseries  # noqa: PLC0415 - as in `to_grafana`

    builder: Any = {"number": stat, "table": table}.get(panel.look, timeseries).Panel()
    width, height = SIZES[panel.look]
    builder.id(_id(row.title, panel.title)).title(panel.title).description(panel.description)
    builder.unit(panel.unit).span(width).height(height).datasource(_source())
    for number, target in enumerate(panel.targets):
        builder.with_target(_target(panel, target, chr(ord("A") + number)))
    if panel.look == "table":
        _as_table(builder, panel)
    elif panel.look == "number":
        builder.thresholds(_thresholds(panel))  # always: without any, Grafana adds its own
    else:
        _over_time(builder, panel)
    return builder


def _over_time(builder: Any, panel: Panel) -> None:  # noqa: ANN401 - as above
    from grafana_foundation_sdk.builders import common  # noqa: PLC0415 - as in `to_grafana`
    from grafana_foundation_sdk.models import common as models  # noqa: PLC0415 - as in `to_grafana`

    if panel.steps:
        builder.thresholds(_thresholds(panel))
        builder.thresholds_style(common.GraphThresholdsStyleConfig().mode(models.GraphTresholdsStyleMode.DASHED))
    if panel.look == "areas":
        builder.fill_opacity(20).stacking(common.StackingConfig().mode(models.StackingMode.NORMAL))


def _as_table(builder: Any, panel: Panel) -> None:  # noqa: ANN401 - as above
    """A row per value of one label: the queries are joined by it and become columns."""
    from grafana_foundation_sdk.models import dashboard as models  # noqa: PLC0415 - as in `to_grafana`

    shown = {f"Value #{chr(ord('A') + number)}": target.legend for number, target in enumerate(panel.targets)}
    numbered = ("", *(f" {number + 1}" for number in range(len(panel.targets))))
    dropped = dict.fromkeys(chain(("Time",), (f"Time{end}" for end in numbered), panel.hidden), True)
    names = shown | {"Value": panel.targets[0].legend} if len(panel.targets) == 1 else shown
    if panel.by:
        options = {"byField": panel.by, "mode": "outer"}
        builder.with_transformation(models.DataTransformerConfig(id_val="joinByField", options=options))
    arranged = {"excludeByName": dropped, "renameByName": names}
    builder.with_transformation(models.DataTransformerConfig(id_val="organize", options=arranged))
    for column in panel.columns:
        builder.override_by_name(column.name, [models.DynamicConfigValue(*one) for one in column.properties])


def _thresholds(panel: Panel) -> Any:  # noqa: ANN401 - as above
    from grafana_foundation_sdk.builders import dashboard as sdk  # noqa: PLC0415 - as in `to_grafana`
    from grafana_foundation_sdk.models import dashboard as models  # noqa: PLC0415 - as in `to_grafana`

    rising = [
        models.Threshold(None, panel.below),
        *(models.Threshold(step.value, step.colour) for step in panel.steps),
    ]
    return sdk.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(rising)


def _target(panel: Panel, target: Target, letter: str) -> Any:  # noqa: ANN401 - as above
    from grafana_foundation_sdk.builders import prometheus  # noqa: PLC0415 - as in `to_grafana`
    from grafana_foundation_sdk.models.prometheus import PromQueryFormat  # noqa: PLC0415 - as in `to_grafana`

    query = prometheus.Dataquery().expr(target.query).legend_format(target.legend).ref_id(letter)
    return query.instant().format(PromQueryFormat.TABLE) if panel.look == "table" else query
