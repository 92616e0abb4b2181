"""The `penstock` command. Each verb is a module that is imported when the verb is called, so `--help` is fast."""

from __future__ import annotations

import contextlib
import os
import sys

import click

from penstock.terminal.verbs import VERBS, Verbs
from penstock_spec.findings import CannotGoOn

__all__ = ["app", "main"]

CANNOT_GO_ON = 2
DEV_LINE = "  penstock dev                                        watch it live\n"
EPILOG = f"""\b
First steps:
  penstock init my-pipelines                          create a repository
  cd my-pipelines && export PENSTOCK_ENV=dev          choose an environment
  penstock send hello '{{"name": "world"}}' --embedded  send a message to an embedded Redis
  penstock status --embedded                          see it wait
  penstock worker hello --embedded --until-idle       run it
{DEV_LINE if "dev" in VERBS else ""}\
  penstock new media-cluster                          create a spec
  penstock lint                                       check all specs
  penstock explain RULE                               understand a finding
"""


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.version_option(package_name="penstock", message="penstock %(version)s")
def app() -> None:
    """Run Redis Streams workers on Kubernetes with KEDA, from one YAML spec per pipeline."""


def main() -> None:
    """Run the command. Users see each error as a sentence, never as a traceback."""
    try:
        code = app(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()  # report a failed write here, not in Python's own exit
    except CannotGoOn as error:
        code = _print_error(error.says, error.hint)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = CANNOT_GO_ON
    except click.UsageError as error:
        message = " ".join(error.format_message().split()).rstrip(".")
        code = _print_error(message, f"see `{error.ctx.command_path if error.ctx else 'penstock'} --help`")
    except click.ClickException as error:
        code = _print_error(error.format_message(), "")
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        code = 130
    except OSError as error:
        code = _print_error(_os_error(error), "check free space and permissions on this path")
    except Exception as error:
        if "PENSTOCK_TRACEBACK" in os.environ:
            raise
        code = _print_error(_internal_error(error), "run it again with `PENSTOCK_TRACEBACK=1` and report the traceback")
    sys.exit(code or 0)


def _print_error(message: str, hint: str) -> int:
    click.echo(f"error: {message}", err=True)
    if hint:
        click.echo(f"hint: {hint}", err=True)
    return CANNOT_GO_ON


def _os_error(error: OSError) -> str:
    if sys.stdout is not None and error.filename is None:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries to write again at exit
    where = f": {error.filename}" if error.filename else ", while writing"
    return f"{error.strerror or error}{where}"


def _internal_error(error: BaseException) -> str:
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = f" in {where.tb_frame.f_globals.get('__name__')}:{where.tb_lineno}" if where else ""
    return f"penstock itself failed: {type(error).__name__}{place}"
