"""Options that several verbs share, and what a shell completes for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

from penstock.terminal.console import here
from penstock.terminal.resolving import EMBEDDED, resolve_pipelines
from penstock_spec.findings import CannotGoOn, NoSuchEnvironment

if TYPE_CHECKING:
    from penstock.resolved import ResolvedPipeline
    from penstock.wire.credentials import Credentials

F = TypeVar("F", bound=Callable[..., Any])
ENVIRONMENT_VARIABLE = "PENSTOCK_ENV"

platform_option = click.option(
    "--platform",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Platform file; by default `penstock.yaml` in this folder or the nearest above it.",
)


def complete_environment(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete names of environments from the platform file."""
    del param
    from penstock_spec.linting.lint import load
    from penstock_spec.repository import open_repository, read_inputs

    try:
        repository = open_repository((), ctx.params.get("platform"), here())
        data = load(read_inputs(repository).platform).data
    except CannotGoOn:
        return []
    names = data.get("environments") if isinstance(data, dict) else None
    return [name for name in names if name.startswith(incomplete)] if isinstance(names, dict) else []


def environment_option(verb: F) -> F:
    """Add `--env`, as `environment`. An error about an unknown one names the variable if that selected it."""

    @wraps(verb)
    def with_environment(*args: object, **options: object) -> object:
        try:
            return verb(*args, **options)
        except NoSuchEnvironment as error:
            source = click.get_current_context().get_parameter_source("environment")
            if source is ParameterSource.ENVIRONMENT:
                raise error.from_variable(ENVIRONMENT_VARIABLE) from error
            raise

    option = click.option(
        "-e",
        "--env",
        "environment",
        metavar="NAME",
        envvar=ENVIRONMENT_VARIABLE,
        shell_complete=complete_environment,
        help=f"Environment, also from `{ENVIRONMENT_VARIABLE}`; optional if there is only one.",
    )
    return option(cast("F", with_environment))


def redis_option(verb: F) -> F:
    """Add `--redis` and `--embedded`."""
    url = click.option(
        "--redis",
        metavar="URL",
        help="URL of the Redis to use instead of the platform file's, such as redis://localhost:6379. "
        "Others can read a password in it: set REDIS_USERNAME and REDIS_PASSWORD, or REDIS_PASSWORD_FILE.",
    )
    embedded = click.option(
        "--embedded",
        "redis",
        flag_value=EMBEDDED,
        help="Use the repository's embedded Redis. It runs while commands use it and keeps its data in `.penstock`.",
    )
    return url(embedded(tls_options(verb)))


def tls_options(verb: F) -> F:
    """Add `--redis-ca`, `--redis-cert` and `--redis-key`."""
    for name, variable, says in reversed(TLS_FILES):
        verb = click.option(
            name,
            metavar="FILE",
            type=click.Path(path_type=Path, dir_okay=False),
            expose_value=False,
            callback=_set_variable(variable),
            help=f"{says}, also from `{variable}`.",
        )(verb)
    return verb


TLS_FILES = (
    ("--redis-ca", "REDIS_CA_FILE", "Certificate authorities to trust instead of the system's"),
    ("--redis-cert", "REDIS_CERT_FILE", "Client certificate for a Redis that requires one"),
    ("--redis-key", "REDIS_KEY_FILE", "Private key of the client certificate"),
)
"""Paths are no secrets, and child processes inherit variables: so options only set variables."""


def _set_variable(variable: str) -> Callable[[click.Context, click.Parameter, Path | None], None]:
    def set_it(ctx: click.Context, param: click.Parameter, file: Path | None) -> None:
        del ctx, param
        if file is not None:
            os.environ[variable] = str(file.absolute())

    return set_it


listen_option = click.option(
    "--listen",
    metavar="HOST:PORT",
    default="0.0.0.0:8080",
    show_default=True,
    help="Address that serves /livez, /readyz and /metrics; `off` for none.",
)


log_format_option = click.option(
    "--log-format",
    type=click.Choice(["json", "text"]),
    help="Log format; by default text on a terminal and JSON elsewhere.",
)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


spec_argument = click.argument("spec", type=click.Path(path_type=Path))
"""For verbs with `spec_options`."""


def where_options(verb: F) -> F:
    """Add the options for environment, Redis and platform file."""
    return environment_option(redis_option(platform_option(verb)))


@dataclass(frozen=True, slots=True)
class SpecOptions:
    """The values of SPEC and the options of `where_options`."""

    spec: Path
    environment: str | None
    redis: str | None
    platform: Path | None

    def pipeline(self) -> tuple[ResolvedPipeline, Credentials]:
        """Resolve the pipeline. Check other options first: this reads files."""
        specs = (find_spec(self.spec, self.platform),)
        pipelines, credentials = resolve_pipelines(specs, self.platform, self.environment, self.redis)
        return pipelines[0], credentials


def spec_options(verb: F) -> F:
    """Add `where_options` to a verb with SPEC, which gets them all as `options`."""

    @wraps(verb)
    def with_options(
        *args: object, spec: Path, environment: str | None, redis: str | None, platform: Path | None, **rest: object
    ) -> object:
        return verb(*args, options=SpecOptions(spec, environment, redis, platform), **rest)

    return where_options(cast("F", with_options))


def parse_duration(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Parse options such as `--older-than 2h` into milliseconds."""
    from penstock_spec.values.quantities import Duration

    if value is None:
        return None
    try:
        return Duration.read(value)
    except ValueError as error:
        raise click.BadParameter(", ".join(map(str, error.args)), ctx, param) from None


def complete_rule(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete names of rules."""
    del ctx, param
    from penstock_spec.catalogue import catalogue

    return [name for name in catalogue() if name.startswith(incomplete)]


def find_spec(spec: Path, platform: Path | None) -> Path:
    """The file at this path, or of the spec with this name."""
    from penstock_spec.fields import nearest
    from penstock_spec.repository import SPECS, find_root

    if spec.is_file() or spec.suffix:
        return spec
    specs = (platform.resolve().parent if platform else find_root(here())) / SPECS
    named = specs / f"{spec}.yaml"
    if named.is_file():
        return named
    close = nearest(str(spec), [path.stem for path in specs.glob("*.yaml")])
    raise CannotGoOn(f"no spec `{spec}`", f"did you mean `{close}`?" if close else "name a file in `specs/`")
