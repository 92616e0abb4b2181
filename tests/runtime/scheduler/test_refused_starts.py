"""A scheduler that cannot run is refused with an explanation, before it acquires any job."""

import asyncio
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest
from event_loop import run_async
from in_process_scheduler import spec_of

from penstock.scheduler.job_list import JobLister
from penstock.scheduler.job_runner import JobRunner
from penstock.scheduler.resolved import ResolvedScheduler, pipelines_of, resolve
from penstock.wire.credentials import Credentials
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Environment

TODAY = date(2026, 3, 2)
CODE = """\
WORDS = ["a"]

def no_list():
    return {"a": 1}

def mixed():
    both = {"name": "both", "cron": "* * * * *", "every": "1s"}
    return ["a", {"name": "b", "every": "1s"}, {"name": "two words"}, both, 7]

async def greedy(job, context, more):
    pass

def no_parameter():
    pass
"""


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A team's module, under a name that no other test imports."""
    (tmp_path / "refused.py").write_text(CODE)
    return tmp_path


def calls_of(code: Path, handler: str) -> None:
    spec = spec_of(jobs=[{"name": "job", "every": "1s"}], handler=handler)

    async def scenario() -> None:
        JobRunner(spec, [code], ThreadPoolExecutor(1), pytest.fail, Credentials())

    run_async(scenario())


def test_the_spec_of_a_pipeline_is_refused(root: Path) -> None:
    """The error names the command that runs it."""
    spec = root / "specs" / "media-cluster.yaml"
    with pytest.raises(CannotGoOn) as refused:
        resolve(spec, None, "dev", root, TODAY)
    assert refused.value.says == f"`{spec}` is a pipeline, not a scheduler"
    assert refused.value.hint == f"run it with `penstock worker {spec}`"


def test_a_job_for_a_missing_pipeline_is_refused(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "specs", tmp_path / "specs")
    shutil.copy(root / "penstock.yaml", tmp_path)
    around = Environment.model_validate({"namespace": "tests", "redis": {"addresses": ["127.0.0.1:6379"]}})
    spec = spec_of(jobs=[{"name": "job", "every": "1s"}], handler="asyncio:sleep")
    find = pipelines_of(
        ResolvedScheduler(spec, "dev", around, tmp_path / "specs" / "x.yaml"), None, None, tmp_path, TODAY
    )
    with pytest.raises(CannotGoOn) as refused:
        find("missing")
    assert refused.value.says == "a job sends to `missing`, which is not a pipeline here, or has errors"


def test_jobs_must_name_a_function(code: Path) -> None:
    with pytest.raises(CannotGoOn) as refused:
        JobLister(spec_of(jobs="refused:WORDS", handler="asyncio:sleep"), [code])
    assert refused.value.says == "`refused:WORDS` is a `list`, but `jobs` needs a function"
    assert refused.value.hint == "name a function without parameters that returns a list"


def test_a_function_that_returns_no_list_is_an_error(code: Path) -> None:
    """The pod logs it and keeps the previous list."""
    lister = JobLister(spec_of(jobs="refused:no_list", handler="asyncio:sleep"), [code])
    with pytest.raises(TypeError, match=r"`refused:no_list` returned a `dict` instead of a list of jobs"):
        asyncio.run(lister.read())


def test_invalid_jobs_are_left_out(code: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The others run; the first few invalid ones are logged by name."""
    lister = JobLister(spec_of(jobs="refused:mixed", handler="asyncio:sleep", each={"every": "5s"}), [code])
    assert set(asyncio.run(lister.read()).mine) == {"a", "b"}
    (record,) = caplog.records
    logged = vars(record)["penstock_fields"]["jobs"]
    assert "two words" in logged
    assert "it has both `every` and `cron`" in logged


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        (
            "refused:greedy",
            "`refused:greedy` needs 3 parameters (`job`, `context`, `more`), and a handler gets the job and a context",
        ),
        ("refused:no_parameter", "`refused:no_parameter` takes no parameter, and a handler gets the job"),
        ("refused:WORDS", "`refused:WORDS` is a `list`, and a handler is a function"),
        ("refused:missing", "`refused` has no `missing`, which `inside` names"),
    ],
)
def test_an_unusable_handler_is_refused(code: Path, handler: str, message: str) -> None:
    """With the explanation that a pipeline's handler gets."""
    with pytest.raises(CannotGoOn) as refused:
        calls_of(code, handler)
    assert refused.value.says == message
