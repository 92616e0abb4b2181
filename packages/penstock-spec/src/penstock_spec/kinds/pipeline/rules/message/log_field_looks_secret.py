"""A field that looks like a secret is written to the logs.

`message.log_fields` and `message.correlate` are the only parts of a body in the logs. Everyone who reads logs can see
a password, a token, a key or a card number there, for as long as the logs are kept.

Remove the field and log an identifier instead. If the name is misleading, suppress this finding with that reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import used_fields
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
ANYWHERE = frozenset(
    (
        "authorization",
        "cookie",
        "credential",
        "credentials",
        "cvc",
        "cvv",
        "iban",
        "passphrase",
        "passwd",
        "password",
        "pwd",
        "secret",
        "secrets",
        "ssn",
    )
)
LAST = frozenset(("bearer", "jwt", "token"))
PAIRS = frozenset(("accesskey", "apikey", "cardnumber", "creditcard", "privatekey", "signingkey"))


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    for path, field in used_fields(subject.spec.message):
        if path != "message.dedup.by" and looks_secret(field):
            message = f"`{printable(field)}` would be in every log line about a message"
            yield subject.problem(
                path, message, "log an identifier instead, or suppress this if the name is misleading"
            )


def looks_secret(field: str) -> bool:
    """True for `password_hash`, `accessToken` and `api_key`; false for `token_count`."""
    words = [word.lower() for word in WORD.findall(field)]
    pairs = {first + second for first, second in pairwise(words)}
    return bool(words) and (
        words[-1] in LAST or not ANYWHERE.isdisjoint(words) or not PAIRS.isdisjoint([*words, *pairs])
    )
