"""The HTTP status of an exception, and the error code of its service, read without importing any client library.

| client | where the exception has it |
|---|---|
| aiohttp, urllib, Google Cloud | `status`, `code` |
| httpx, requests, kubernetes | `response.status_code`, `status` |
| botocore, boto3 | `response["ResponseMetadata"]["HTTPStatusCode"]`, `response["Error"]["Code"]` |
| grpc | `code()`, a member of `grpc.StatusCode` |
| redis-py | `status_code`, the first word of the server's answer, or its class |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

STATUSES = range(100, 600)

GRPC: Mapping[str, int] = {
    "CANCELLED": 499,
    "UNKNOWN": 500,
    "INVALID_ARGUMENT": 400,
    "DEADLINE_EXCEEDED": 504,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "PERMISSION_DENIED": 403,
    "UNAUTHENTICATED": 401,
    "RESOURCE_EXHAUSTED": 429,
    "FAILED_PRECONDITION": 400,
    "ABORTED": 409,
    "OUT_OF_RANGE": 400,
    "UNIMPLEMENTED": 501,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "DATA_LOSS": 500,
}
"""The status that Google's gateway gives each code (google/rpc/code.proto)."""

REDIS: Mapping[str, int] = {
    "NOAUTH": 401,
    "WRONGPASS": 401,
    "NOPERM": 403,
    "OOM": 507,
    "BUSY": 503,
    "LOADING": 503,
    "READONLY": 503,
    "MASTERDOWN": 503,
    "CLUSTERDOWN": 503,
    "TRYAGAIN": 503,
    "MISCONF": 503,
    "NOREPLICAS": 503,
}
"""By the first word of an error of Redis. Other errors are mistakes in the command, which have no status."""

REDIS_CLASSES: Mapping[str, int] = {
    "AuthenticationError": 401,
    "NoPermissionError": 403,
    "OutOfMemoryError": 507,
    "BusyLoadingError": 503,
    "ReadOnlyError": 503,
    "MasterDownError": 503,
    "ClusterDownError": 503,
    "TryAgainError": 503,
}
"""By class: redis-py cuts off the first word for some errors, and its older versions keep it nowhere."""

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{0,99}", re.ASCII)


def status_of(exception: Exception) -> int | None:
    """The HTTP status that an exception carries, or the one that its code stands for."""
    response = attribute(exception, "response")
    for holder in (exception, response):
        for name in ("status", "status_code", "code"):
            status = attribute(holder, name)
            if isinstance(status, int) and status in STATUSES:
                return int(status)
    status = _item(_item(response, "ResponseMetadata"), "HTTPStatusCode")
    if isinstance(status, int) and status in STATUSES:
        return int(status)
    return _of_grpc(exception) or _of_redis(exception)


def error_code_of(exception: Exception) -> str | None:
    """The error code of an AWS service, such as `AccessDenied`: the class is the same `ClientError` for all of them."""
    code = _item(_item(attribute(exception, "response"), "Error"), "Code")
    return code if isinstance(code, str) and _CODE.fullmatch(code) else None


def attribute(holder: object, name: str) -> object:
    """An attribute, or None if there is none or reading it raises."""
    try:
        return getattr(holder, name, None)
    except BaseException:  # noqa: BLE001 - a property of a team's exception may raise anything
        return None


def _item(holder: object, key: str) -> object:
    return holder.get(key) if type(holder) is dict else None


def _of_grpc(exception: Exception) -> int | None:
    if not any(module.partition(".")[0] in ("grpc", "grpclib") for module in _modules(exception)):
        return None
    code = attribute(exception, "code") or attribute(exception, "status")
    try:
        member = code() if callable(code) else code
    except BaseException:  # noqa: BLE001 - as above
        return None
    return GRPC.get(str(attribute(member, "name")))


def _of_redis(exception: Exception) -> int | None:
    if not any(module.partition(".")[0] == "redis" for module in _modules(exception)):
        return None
    code = attribute(exception, "status_code")
    if isinstance(code, str) and code in REDIS:
        return REDIS[code]
    for class_ in type(exception).__mro__:
        if class_.__name__ in REDIS_CLASSES:
            return REDIS_CLASSES[class_.__name__]
    try:
        text = str(exception)
    except BaseException:  # noqa: BLE001 - as above
        return None
    return REDIS.get(text.partition(" ")[0])


def _modules(exception: Exception) -> Iterator[str]:
    return (str(class_.__module__) for class_ in type(exception).__mro__)
