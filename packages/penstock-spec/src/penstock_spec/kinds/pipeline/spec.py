"""A pipeline, whole."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from penstock_spec.kinds.pipeline.expect import Expectation
from penstock_spec.kinds.pipeline.scaling import Janitor, PipelineAlerts, PipelineShutdown, Scaling
from penstock_spec.kinds.pipeline.stream import Message, Stream
from penstock_spec.kinds.pipeline.work import DeadLetter, PipelineWork, Retries, Send
from penstock_spec.model import Section, about
from penstock_spec.pods import Egress, Resources
from penstock_spec.sections import Acknowledgement, Owner, Patch, Suppression
from penstock_spec.values.strings import Handler, Image, Name


class Pipeline(Section):
    """A stream, a group, and workers that scale."""

    kind: Annotated[Literal["pipeline"], about("What this file describes.", "pipeline")]
    name: Annotated[
        Name, about("A DNS label of at most 54 characters; the names of all that is made follow it.", "media-cluster")
    ]
    owner: Annotated[Owner, about("Who answers for it.", {"team": "media", "contact": "#media-oncall"})]
    handler: Annotated[
        Handler, about("The function that does the work, as `module:function`.", "media.clustering:cluster")
    ]
    image: Annotated[
        Image,
        about(
            "The workers' image, by a tag that is not `latest`, or by a digest.", "registry.example/media-worker:1.4.2"
        ),
    ]
    stream: Annotated[Stream, about("The stream, its group, and what is kept.", {"key": "streams:media.cluster"})] = (
        Stream()
    )
    message: Annotated[Message, about("What a message looks like.", {"encoding": {"json": "data"}})] = Message()
    send: Annotated[Send, about("How a producer insists.", {"attempts": 3})] = Send()
    work: Annotated[PipelineWork, about("How a worker runs messages.", {"concurrency": 16, "timeout": "60s"})] = (
        PipelineWork()
    )
    retries: Annotated[Retries, about("How often and when a failed message is tried again.", {"attempts": 5})] = (
        Retries()
    )
    dead_letter: Annotated[DeadLetter, about("Where messages go after their last attempt.", {"keep": "14d"})] = (
        DeadLetter()
    )
    scaling: Annotated[Scaling, about("From the backlog to a number of pods.", {"replicas": {"min": 0, "max": 20}})] = (
        Scaling()
    )
    shutdown: Annotated[PipelineShutdown, about("How a worker leaves.", {"grace": "90s"})] = PipelineShutdown()
    janitor: Annotated[Janitor, about("What is tidied, and how often.", {"trim": {"every": "1h"}})] = Janitor()
    resources: Annotated[Resources, about("What a pod asks for.", {"cpu": "250m", "memory": "256Mi"})] = Resources()
    egress: Egress = []
    alerts: Annotated[PipelineAlerts, about("When a person is told.", {"backlog_age": "5m"})] = PipelineAlerts()
    expect: Annotated[list[Expectation], about("Tests of the scaling.", [])] = []
    patches: Annotated[list[Patch], about("Changes of generated manifests, checked as the spec is.", [])] = []
    acknowledge: Annotated[list[Acknowledgement], about("Dangerous changes taken on, with an end date.", [])] = []
    suppress: Annotated[list[Suppression], about("Findings taken on, with a reason and an end date.", [])] = []
    environments: Annotated[
        dict[Name, dict[str, Any]],
        about("What is otherwise in an environment, by path.", {"dev": {"stream.backlog.limit": 10000}}),
    ] = {}
