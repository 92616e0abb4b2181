"""The model of a pipeline."""

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
    """A pipeline: a stream, its consumer group, and workers that scale with the backlog."""

    kind: Annotated[Literal["pipeline"], about("The kind of spec that this file contains.", "pipeline")]
    name: Annotated[
        Name,
        about(
            "The pipeline's name, a DNS label of at most 54 characters. Everything generated from the "
            "spec is named after it.",
            "media-cluster",
        ),
    ]
    owner: Annotated[
        Owner, about("The team that is responsible for the pipeline.", {"team": "media", "contact": "#media-oncall"})
    ]
    handler: Annotated[
        Handler, about("The function that processes each message, as `module:function`.", "media.clustering:cluster")
    ]
    image: Annotated[
        Image,
        about(
            "The workers' container image, with a digest or a tag other than `latest`.",
            "registry.example/media-worker:1.4.2",
        ),
    ]
    stream: Annotated[
        Stream, about("The stream, its consumer group and its retention.", {"key": "streams:media.cluster"})
    ] = Stream()
    message: Annotated[Message, about("The format, schema and limits of messages.", {"encoding": {"json": "data"}})] = (
        Message()
    )
    send: Annotated[Send, about("How producers retry a send.", {"attempts": 3})] = Send()
    work: Annotated[PipelineWork, about("How a worker runs messages.", {"concurrency": 16, "timeout": "60s"})] = (
        PipelineWork()
    )
    retries: Annotated[Retries, about("How often and when a failed message is retried.", {"attempts": 5})] = Retries()
    dead_letter: Annotated[
        DeadLetter, about("Where messages go after their last attempt, and how long they stay there.", {"keep": "14d"})
    ] = DeadLetter()
    scaling: Annotated[
        Scaling, about("How the number of pods follows from the backlog.", {"replicas": {"min": 0, "max": 20}})
    ] = Scaling()
    shutdown: Annotated[PipelineShutdown, about("How a worker shuts down.", {"grace": "90s"})] = PipelineShutdown()
    janitor: Annotated[
        Janitor, about("What the janitor cleans up for this pipeline, and how often.", {"trim": {"every": "1h"}})
    ] = Janitor()
    resources: Annotated[Resources, about("The CPU and memory of a pod.", {"cpu": "250m", "memory": "256Mi"})] = (
        Resources()
    )
    egress: Egress = []
    alerts: Annotated[PipelineAlerts, about("When people are alerted.", {"backlog_age": "5m"})] = PipelineAlerts()
    expect: Annotated[list[Expectation], about("Tests of the scaling, which the simulator runs.", [])] = []
    patches: Annotated[list[Patch], about("Changes to generated manifests. Rules check the patched result.", [])] = []
    acknowledge: Annotated[
        list[Acknowledgement], about("Dangerous changes that are accepted, each with a reason and an end date.", [])
    ] = []
    suppress: Annotated[
        list[Suppression], about("Findings that are accepted, each with a reason and an end date.", [])
    ] = []
    environments: Annotated[
        dict[Name, dict[str, Any]],
        about("Overrides for one environment, as values by path.", {"dev": {"stream.backlog.limit": 10000}}),
    ] = {}
