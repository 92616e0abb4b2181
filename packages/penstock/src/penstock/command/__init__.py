"""The `penstock` command: a module a verb, each loaded when it is called, so that `--help` costs nothing."""

from __future__ import annotations

import contextlib
import os
import sys

import click

from penstock.terminal.verbs import VERBS, Verbs
from penstock_spec.findings import CannotGoOn

__all__ = ["app", "main"]

CANNOT_GO_ON = 2
LIVE = "  penstock dev                                        watch it live\n"
TEACHES = f"""\b
First steps:
  penstock init my-pipelines                          create a repository
  cd my-pipelines && export PENSTOCK_ENV=dev          choose an environment
  penstock send hello '{{"name": "world"}}' --embedded  send a message to an embedded Redis
  penstock status --embedded                          see it wait
  penstock worker hello --embedded --until-idle       process it
{LIVE if "dev" in VERBS else ""}\
  penstock new media-cluster                          create a spec
  penstock lint                                       check all specs
  penstock explain RULE                               understand a finding
"""


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=TEACHES,
)
@click.version_option(package_name="penstock", message="penstock %(version)s")
def app() -> None:
    """Run Redis Streams workers on Kubernetes with KEDA, from one YAML spec per pipeline."""


def main() -> None:
    """Run the command. Whatever happens, a user reads a sentence and never a traceback."""
    try:
        code = app(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()  # what cannot be written shall be told here, not by Python at its end
    except CannotGoOn as error:
        code = _tell(error.says, error.hint)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = CANNOT_GO_ON
    except click.UsageError as error:
        says = " ".join(error.format_message().split()).rstrip(".")
        code = _tell(says, f"see `{error.ctx.command_path if error.ctx else 'penstock'} --help`")
    except click.ClickException as error:
        code = _tell(error.format_message(), "")
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        code = 130
    except OSError as error:
        code = _tell(_refused(error), "check free space and permissions on this path")
    except Exception as error:
        if "PENSTOCK_TRACEBACK" in os.environ:
            raise
        code = _tell(_own_fault(error), "run it again with `PENSTOCK_TRACEBACK=1` and report the traceback")
    sys.exit(code or 0)


def _tell(says: str, hint: str) -> int:
    click.echo(f"error: {says}", err=True)
    if hint:
        click.echo(f"hint: {hint}", err=True)
    return CANNOT_GO_ON


def _refused(error: OSError) -> str:
    if sys.stdout is not None and error.filename is None:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries once more at its end
    where = f": {error.filename}" if error.filename else ", while writing"
    return f"{error.strerror or error}{where}"


def _own_fault(error: BaseException) -> str:
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = f" in {where.tb_frame.f_globals.get('__name__')}:{where.tb_lineno}" if where else ""
    return f"penstock itself failed: {type(error).__name__}{place}"
