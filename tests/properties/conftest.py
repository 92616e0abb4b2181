"""Generate valid specs from the models."""

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from penstock_spec.fields import fields_of, parts_in
from penstock_spec.kinds import kinds
from penstock_spec.layers import FIXED
from penstock_spec.model import Section, key_of
from penstock_spec.values.bounds import AtLeast
from penstock_spec.values.quantities import Cpu, Duration, Size
from penstock_spec.values.quantity import Quantity

Data = dict[str, Any]

SIGNS = st.characters(codec="utf-8", exclude_categories=["C", "Z"])
TEXT = st.text(SIGNS | st.sampled_from(" :#-?,[]{}&*!|>'\"%@`~=<"), min_size=1, max_size=20).filter(str.strip)
LABEL = st.from_regex(r"[a-z]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
WORD = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
DAY = st.dates().map(str)
DURATION = st.from_regex(r"[0-9]{1,2}(d|h|m|s|ms)|1h30m|[0-9]\.[0-9]{1,3}s|1d[0-9]h", fullmatch=True)
NUMBER = st.integers(1, 100) | st.sampled_from(["1.0", "2.50", "1e1", "1.5", "99.9"])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)

TYPES = {
    "_text": TEXT,
    "_field": TEXT.map(str.strip),
    "_name": LABEL,
    "_handler": st.builds(lambda one, two: f"{one}.{two}:{one}", WORD, WORD),
    "_image": st.sampled_from(["a:1", "registry.example:5000/team/app:1.4.2", f"app@sha256:{'0a' * 32}"]),
    "_key": st.text(SIGNS.filter(lambda one: one not in "{}"), min_size=1, max_size=20) | st.just("{tag}:rest"),
    "_group": st.text(SIGNS.filter(lambda one: one not in "{}~"), min_size=1, max_size=20),
    "_consumer": st.sampled_from(["{hostname}", "worker-{hostname}", "worker"]),
    "_date": DAY,
    "_url": st.sampled_from(["http://127.0.0.1:15020/quit", "https://sidecar.example/?a=1#b"]),
    "_pointer": st.sampled_from(["/spec", "/spec/template/a~1b", "/metadata/labels/é"]),
    "_job_name": st.text(SIGNS, min_size=1, max_size=20).filter(lambda one: one != "*"),
    "_pattern": st.sampled_from(["", ".*", "aws/.*", "[a-c]+", r"a\.b", "a{2,3}"]),
    "_cron": st.sampled_from(["*/5 * * * *", "0 3 * * MON-FRI", "0,30 8-18 L JAN *", "0 0 30 2 *"]),
    "_time_zone": st.sampled_from(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"]),
    "_base": st.text(SIGNS.filter(lambda one: one not in "{}"), min_size=1, max_size=20),
    "_part": st.text(SIGNS.filter(lambda one: one not in "{}"), max_size=20),
    "_file": st.sampled_from(["schemas/job.json", "a b.json"]),
    "_namespace": LABEL,
    "_cidr": st.sampled_from(["10.20.0.0/16", "0.0.0.0/0", "fd00::/8"]),
}


class AsWritten(str):
    """A number that must be written exactly like this."""

    __slots__ = ()


def number(metadata: list[Any]) -> st.SearchStrategy[Any]:
    """A number within a field's bounds."""
    bounds = {name: getattr(one, name) for one in metadata for name in ("ge", "gt", "le", "lt") if hasattr(one, name)}
    if bounds.get("le", 100) <= 1:
        return st.sampled_from([0, 1, AsWritten("0.10"), AsWritten("1.0")])
    return NUMBER.map(lambda one: AsWritten(one) if isinstance(one, str) else one)


def integers(metadata: list[Any]) -> st.SearchStrategy[int]:
    """An integer within a field's bounds."""
    least = next((one.ge for one in metadata if hasattr(one, "ge")), 0)
    most = next((one.le for one in metadata if hasattr(one, "le")), 10**9)
    return st.integers(least, most)


def enough(texts: st.SearchStrategy[str], kind: type[Quantity], metadata: list[Any]) -> st.SearchStrategy[str]:
    """Quantities within a field's bounds."""
    least = max((one.least.amount for one in metadata if isinstance(one, AtLeast)), default=0)
    return texts.filter(lambda text: kind(text).amount >= least)


def values(annotation: Any, metadata: list[Any]) -> st.SearchStrategy[Any]:  # noqa: ANN401, PLR0911 - any type of a model
    """Valid values of a type."""
    named = [getattr(getattr(one, "func", None), "__name__", "") for one in metadata]
    word = next((TYPES[name] for name in named if name in TYPES), None)
    if word is not None:
        return word
    if "number" in named:
        return number(metadata)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        inside = [bound for one in arguments[1:] for bound in (one.metadata if isinstance(one, FieldInfo) else [one])]
        return values(arguments[0], [*inside, *metadata])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, UnionType):
        return st.one_of([st.none() if one is NoneType else values(one, metadata) for one in arguments])
    if origin is list:
        return st.lists(values(arguments[0], []), min_size=1, max_size=3)
    if origin is dict:
        if arguments[1] is Any:
            return st.just({"type": "object"})
        return st.dictionaries(LABEL, values(arguments[1], []), max_size=3)
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return sections(annotation)
    plain: dict[Any, st.SearchStrategy[Any]] = {
        bool: st.booleans(),
        int: integers(metadata),
        Duration: enough(DURATION, Duration, metadata),
        Size: enough(st.sampled_from(["256Ki", "1Mi", "1.5Gi", "500M", "1000"]), Size, metadata),
        Cpu: enough(st.sampled_from(["250m", "0.5", "2", "1.250"]), Cpu, metadata),
        Any: PLAIN,
    }
    return plain[annotation]


def sections(model: type[Section]) -> st.SearchStrategy[Data]:
    """A section with its required fields, and some of the optional ones."""
    fields = {key_of(name, info): info for name, info in model.model_fields.items() if name != "environments"}
    return st.fixed_dictionaries(
        {key: values(info.annotation, info.metadata) for key, info in fields.items() if info.is_required()},
        optional={
            key: values(info.annotation, info.metadata) for key, info in fields.items() if not info.is_required()
        },
    )


def may_be_overridden(path: str, info: FieldInfo) -> bool:
    """Fields that an environment can change whatever the rest of the spec is."""
    parts = path.split(".")
    if (
        parts[0] in FIXED
        or "*" in path
        or "[]" in path
        or any(parts_in(info.annotation))
        or "null" in str(info.default)
    ):
        return False
    around = {".".join(parts[:depth]) for depth in range(1, len(parts))}
    optional = {"jobs", "stream.retention.keep", "message.encoding", "message.schema", "message.dedup", "scaling.boost"}
    return not around & (optional | {"scaling.fallback", "scaling.scale_down.at_most"})


def overrides(model: type[Section]) -> st.SearchStrategy[Data]:
    """Paths and values for one environment."""
    fields = [field for field in fields_of(model) if may_be_overridden(field.path, field.info)]
    return st.fixed_dictionaries(
        {}, optional={field.path: values(field.info.annotation, field.info.metadata) for field in fields[::3]}
    )


@pytest.fixture(scope="session", params=kinds())
def specs(request: pytest.FixtureRequest) -> st.SearchStrategy[Data]:
    """Complete specs of a kind, as data."""
    model = kinds()[request.param].model
    environments = st.fixed_dictionaries({}, optional={"dev": overrides(model), "production": overrides(model)})
    complete = st.builds(
        lambda spec, inside: {**spec, "environments": inside} if inside else spec, sections(model), environments
    )
    return st.deferred(lambda: complete)  # a failing test would print the strategy itself
