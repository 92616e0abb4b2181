"""The table of verbs; listing them imports none."""

from __future__ import annotations

import gc
import importlib
import importlib.util

import click

PACKAGES = {
    "penstock_generate": {
        "generate": "Write all files that follow from the specs.",
        "check": "Check that generated files are up to date.",
        "diff": "Describe the changes of generated files in words.",
        "validate": "Check generated files with the programs that read them.",
    },
    "penstock_dev": {
        "simulate": "Simulate a spec under traffic, before it is deployed.",
        "test": "Check the scaling that specs expect.",
        "dev": "Run pipelines and schedulers locally, as a cluster would.",
    },
}
"""Verbs of packages that pods do not install."""
ELSEWHERE = {verb: package for package, verbs in PACKAGES.items() for verb in verbs}


def _of(package: str) -> dict[str, str]:
    return PACKAGES[package] if importlib.util.find_spec(package) else {}


VERBS = {
    "init": "Create a working repository.",
    "new": "Create a spec from options or prompts.",
    "lint": "Check specs: what is wrong, where, and how to fix it.",
    "show": "Show a spec in an environment, and where each value comes from.",
    "rules": "List the rules.",
    "explain": "Explain a rule or a generated line.",
    "schema": "Write JSON Schemas for editors and messages.",
    "fmt": "Format specs; comments stay.",
    **_of("penstock_generate"),
    **_of("penstock_dev"),
    "worker": "Run the messages of a pipeline.",
    "janitor": "Maintain all pipelines of an environment.",
    "scheduler": "Run recurring jobs; list, pause and resume them.",
    "send": "Send messages to a pipeline.",
    "status": "Show the state of pipelines: backlog, dead letters, throughput.",
    "peek": "Show waiting and running messages, without consuming any.",
    "tail": "Follow new messages, without consuming any.",
    "dlq": "List, show, replay and purge dead letters.",
    "acl": "Print the least Redis rights that each role needs.",
    "completion": "Print the completion script for a shell.",
}


USUAL_WORDS = {
    "run": "worker",
    "start": "worker",
    "work": "worker",
    "consume": "worker",
    "consumer": "worker",
    "publish": "send",
    "produce": "send",
    "push": "send",
    "enqueue": "send",
    "create": "new",
    "add": "new",
    "verify": "lint",
    "format": "fmt",
    "build": "generate",
    "render": "generate",
    "list": "status",
    "ls": "status",
    "ps": "status",
    "info": "status",
    "stats": "status",
    "watch": "tail",
    "follow": "tail",
    "jobs": "scheduler list",
    "pause": "scheduler pause",
    "resume": "scheduler resume",
    "dead": "dlq list",
    "dead-letters": "dlq list",
    "replay": "dlq replay",
    "retry": "dlq replay",
    "purge": "dlq purge",
    "delete": "dlq purge",
}
"""Verbs by words that other tools use for them; for suggestions."""


class Verbs(click.Group):
    """A group whose commands are modules in `command` packages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of verbs, in the order of use."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a verb."""
        del ctx
        if cmd_name not in VERBS:
            return None
        gc.disable()  # imported objects stay, so collecting among them only costs time
        module = importlib.import_module(f"{ELSEWHERE.get(cmd_name, 'penstock')}.command.{cmd_name}")
        gc.freeze()
        gc.enable()
        command = module.command
        assert isinstance(command, click.Command)  # noqa: S101 - each verb's module defines it
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the verb; suggest similar names."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            if package := ELSEWHERE.get(args[0]):
                wheel = package.replace("_", "-")
                raise click.UsageError(f"`{args[0]}` is part of `{wheel}`, which is not installed", ctx) from error
            close = difflib.get_close_matches(args[0], VERBS, n=1)
            usual = USUAL_WORDS.get(args[0], "")
            verb = usual if usual.partition(" ")[0] in VERBS else close[0] if close else ""
            suggestion = f"; did you mean `penstock {verb}`?" if verb else ""
            raise click.UsageError(f"no command `{args[0]}`{suggestion}", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List verbs from the table, without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))
