"""`LOG_LEVEL=DEBUG` logs the start and the end of each attempt, without its body."""

from collections.abc import Callable

from pipelines import Trial

from penstock.observe.events import Event


def test_each_attempt_is_logged_for_debugging(make_trial: Callable[..., Trial]) -> None:
    with make_trial() as trial:
        trial.send({"id": f"secret-{n}"} for n in range(3))
        words = ("worker", "trial", "--redis", trial.target.url, "--listen", "127.0.0.1:0")
        worker = trial.start(*words, environ={"LOG_LEVEL": "DEBUG"})
        trial.until_drained()
        assert worker.end() == 0
        started, ended = worker.events(Event.MESSAGE_STARTED), worker.events(Event.MESSAGE_ENDED)
        assert len(started) == len(ended) == 3
        assert {line["message_id"] for line in started} == {line["message_id"] for line in ended}
        assert {line["outcome"] for line in ended} == {"done"}
        assert "secret-" not in worker.log()
