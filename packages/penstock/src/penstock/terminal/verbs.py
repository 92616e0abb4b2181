"""The table of verbs. Listing them loads none of them."""

from __future__ import annotations

import gc
import importlib
import importlib.util

import click

PACKAGES = {
    "penstock_generate": {
        "generate": "Write everything that follows from the specs.",
        "check": "See whether what was generated is up to date.",
        "diff": "Say in words what would change in what was generated.",
        "validate": "Let the programs that will read generated files judge them.",
    },
    "penstock_dev": {
        "simulate": "Simulate a spec under traffic, before it is deployed.",
        "test": "Check the scaling that specs expect.",
        "dev": "Run pipelines and schedulers locally, as a cluster would.",
    },
}
"""Verbs of the packages that pods do without."""
ELSEWHERE = {verb: package for package, verbs in PACKAGES.items() for verb in verbs}


def _of(package: str) -> dict[str, str]:
    return PACKAGES[package] if importlib.util.find_spec(package) else {}


VERBS = {
    "init": "Make a new repository that works.",
    "new": "Write a new spec, by questions or by options.",
    "lint": "Tell everything that is wrong, where, and the way out.",
    "show": "Show a spec as it is in an environment, and where each value comes from.",
    "rules": "List the rules.",
    "explain": "Explain a rule, or a generated line.",
    "schema": "Write JSON Schemas for editors and of messages.",
    "fmt": "Put specs into one style; comments stay.",
    **_of("penstock_generate"),
    **_of("penstock_dev"),
    "worker": "Run a pipeline's messages.",
    "janitor": "Look after all pipelines of an environment.",
    "scheduler": "Run recurring jobs, and look after them.",
    "send": "Send messages, as the spec says.",
    "status": "Show how pipelines are: what waits, runs, is dead, and how fast it goes.",
    "peek": "Look at what waits, by state, without taking anything.",
    "tail": "Follow new messages as they come, without taking any.",
    "dlq": "List, show, replay and purge dead letters.",
    "acl": "Print the least rights in Redis that each part of a spec needs.",
    "completion": "Print the completion script of a shell.",
}


class Verbs(click.Group):
    """A group whose commands are modules beside this one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which one meets them."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a verb."""
        del ctx
        if cmd_name not in VERBS:
            return None
        gc.disable()  # what is loaded stays, so nothing is gained by looking through it again and again
        module = importlib.import_module(f"{ELSEWHERE.get(cmd_name, 'penstock')}.command.{cmd_name}")
        gc.freeze()
        gc.enable()
        command = module.command
        assert isinstance(command, click.Command)  # noqa: S101 - a verb's module says `command`
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, with the verb that was probably meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            if package := ELSEWHERE.get(args[0]):
                wheel = package.replace("_", "-")
                raise click.UsageError(f"`{args[0]}` is a verb of `{wheel}`: install that", ctx) from error
            close = difflib.get_close_matches(args[0], VERBS, n=1)
            meant = f"; did you mean `penstock {close[0]}`?" if close else ""
            raise click.UsageError(f"there is no command `{args[0]}`{meant}", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """From the table, without loading."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))
