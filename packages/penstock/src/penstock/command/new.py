"""`penstock new`: create a spec from options or prompts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import click

from penstock.command.lint import relative_to
from penstock.own_templates import read_inputs
from penstock.terminal.console import here, painter, today
from penstock.terminal.options import platform_option
from penstock_spec import report
from penstock_spec.files import File
from penstock_spec.findings import CannotGoOn, LintResult, Severity
from penstock_spec.repository import SPECS, Repository, open_repository

QUESTIONS = {
    "team": ("Owning team?", "owner.team"),
    "handler": ("Handler, as module:function?", "handler"),
    "image": ("Image of the workers, with a version?", "image"),
}


@click.command(name="new", short_help="Create a spec from options or prompts.")
@click.argument("name", required=False)
@click.option("--team", help="Owning team.")
@click.option("--handler", metavar="MODULE:FUNCTION", help="Function that handles messages.")
@click.option("--image", help="Image of the workers, with a version.")
@click.option("--stream", metavar="KEY", help="Key of the stream; by default derived from the name.")
@click.option("--group", help="Consumer group; by default the name.")
@click.option("--timeout", metavar="DURATION", help="Timeout of one attempt, such as 60s.")
@click.option("--concurrency", type=int, help="Messages that one worker runs at a time.")
@click.option("--min", "least", type=int, help="Minimum of pods; 0 scales to zero.")
@click.option("--max", "most", type=int, help="Maximum of pods.")
@platform_option
def command(name: str | None, platform: Path | None, **options: str | int | None) -> None:
    """Create specs/NAME.yaml. On a terminal, missing values are prompted for.

    Elsewhere NAME, --team, --handler and --image are required.

    \b
    Examples:
      penstock new
      penstock new media-cluster --team media --handler media.clustering:cluster --image registry.example/media:1.4.2
    """
    repository = open_repository((), platform, here())
    ask = sys.stdin.isatty()
    name = name or _answer("name", "Name of the pipeline?", "name", ask=ask)
    for option, (question, path) in QUESTIONS.items():
        options[option] = options[option] or _answer(option, question, path, ask=ask)
    _check("name", name)
    for option, (_, path) in QUESTIONS.items():
        _check(path, options[option])
    file = repository.root / SPECS / f"{name}.yaml"
    if file.exists():
        raise CannotGoOn(f"`{repository.name(file)}` exists", "choose another name, or edit it")
    text = spec_text(name, options)
    outcome = _lint_with(repository, file, text)
    findings = report.render("text", relative_to(outcome, repository.root, here()), painter())
    if outcome.count(Severity.ERROR):
        click.echo(findings, nl=False)
        raise CannotGoOn("the spec would have errors and was not written", "fix them and try again")
    _write(file, repository.name(file), text)
    click.echo(f"written {os.path.relpath(file)}\n\n{findings}", nl=False)


def _lint_with(repository: Repository, file: Path, text: str) -> LintResult:
    """The findings in the new spec, checked together with all others."""
    from penstock_spec.linting import lint

    inputs = read_inputs(repository)
    fresh = File(file, repository.name(file), text.encode())
    outcome = lint.lint(replace(inputs, specs=(*inputs.specs, fresh)), (), today()).outcome
    findings = tuple(one for one in outcome.findings if one.at.file == fresh.name)
    return replace(outcome, findings=findings, specs=1, files=(fresh.name,))


def spec_text(name: str, options: dict[str, str | int | None]) -> str:
    """The text of the spec, with the given values only: all others have a default."""
    from penstock_spec.values.quantities import Duration
    from penstock_spec.values.yaml_text import flow, scalar

    lines = ["# yaml-language-server: $schema=../generated/schemas/pipeline.schema.json", "kind: pipeline"]
    lines += [f"name: {scalar(name)}", f"owner: {{team: {scalar(options['team'])}}}"]
    lines += [f"{key}: {scalar(options[key])}" for key in ("handler", "image")]
    timeout = options["timeout"]
    grace = None
    if isinstance(timeout, str):
        _check("work.timeout", timeout)
        grace = str(Duration(timeout) + Duration("30s"))
    sections: dict[str, dict[str, Any]] = {
        "stream": {"key": options["stream"], "group": options["group"]},
        "work": {"concurrency": options["concurrency"], "timeout": timeout},
        "scaling": {"replicas": {"min": options["least"] or 0, "max": options["most"] or 20}},
        "shutdown": {"grace": grace},
    }
    for section, fields in sections.items():
        given = {key: value for key, value in fields.items() if value is not None}
        if given:
            lines.append(f"{section}: {flow(given)}")
    return "\n".join(lines) + "\n"


def _answer(option: str, question: str, path: str, *, ask: bool) -> str:
    if not ask:
        if option == "name":
            raise CannotGoOn("NAME is missing", "give it as the first argument")
        raise CannotGoOn(f"`--{option}` is missing", "give it, or run this on a terminal")
    answer: str = click.prompt(question, prompt_suffix=" ", value_proc=_checked(path))
    return answer


def _checked(path: str) -> Callable[[str], str]:
    """A check for a prompt, which asks again until the answer is valid."""

    def check(value: str) -> str:
        problem = _problem(path, value)
        if problem:
            raise click.UsageError(f"{problem[0]}; {problem[1]}")
        return value

    return check


def _check(path: str, value: object) -> None:
    problem = _problem(path, value)
    if problem:
        raise CannotGoOn(f"`{path}`: {problem[0]}", problem[1])


def _problem(path: str, value: object) -> tuple[str, str] | None:
    """Why a value is invalid for a field, and a hint; None if it is valid."""
    from pydantic import TypeAdapter, ValidationError

    from penstock_spec.fields import fields_of
    from penstock_spec.kinds.pipeline import Pipeline

    info = next(field.info for field in fields_of(Pipeline) if field.path == path)
    kind: Any = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        context = detail.get("ctx") or {}
        return str(context.get("says", detail["msg"])), str(context.get("hint", "choose another value"))
    return None


def _write(file: Path, name: str, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotGoOn(
            f"`{name}` cannot be written: {error.strerror}", "check its permissions, or choose another folder"
        ) from None
