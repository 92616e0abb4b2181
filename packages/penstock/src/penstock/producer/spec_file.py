"""Resolves the pipeline in a spec's file, for programs that send."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from penstock.resolved import ResolvedPipeline, resolve
from penstock.wire.credentials import Credentials
from penstock.wire.url import read_url
from penstock_spec.findings import CannotGoOn, NoSuchEnvironment, Severity


def pipeline_of(
    spec: str | Path,
    *,
    env: str | None,
    redis_url: str | None,
    platform: str | Path | None,
    environ: Mapping[str, str] = os.environ,
) -> tuple[ResolvedPipeline, Credentials]:
    """Return the resolved spec and the credentials for its Redis; `redis_url` overrides the platform file's Redis."""
    file = Path(spec)
    # Only suppressions depend on the day. They were checked when the spec was merged.
    today = date.today()  # noqa: DTZ011 - the local day, as for `penstock lint`
    selected = env or environ.get("PENSTOCK_ENV")
    try:
        resolution = resolve((file,), None if platform is None else Path(platform), selected, Path.cwd(), today)
    except CannotGoOn as error:
        known = error.from_variable("PENSTOCK_ENV") if isinstance(error, NoSuchEnvironment) and not env else error
        raise CannotGoOn(known.says, known.hint.replace("`--env`", '`env="..."`')) from error
    errors = [one for one in resolution.outcome.findings if one.severity is Severity.ERROR]
    if errors:
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        raise CannotGoOn(f"the spec has errors: {errors[0].at}: {errors[0].says}{more}", f"see `penstock lint {file}`")
    if not resolution.pipelines:
        raise CannotGoOn(f"{file} is not a pipeline, so nothing can be sent to it", "name the spec of a pipeline")
    resolved = resolution.pipelines[0]
    if redis_url is None:
        return resolved, Credentials.from_environment(environ)
    redis, credentials = read_url(redis_url, environ)
    return resolved.on(redis), credentials
