"""What to do when a TLS connection fails: OpenSSL says what is wrong, but not where to set it."""

from __future__ import annotations

NEEDS_CERTIFICATE = "set REDIS_CERT_FILE and REDIS_KEY_FILE"
PLAIN_PORT = "use the TLS port, or turn `redis.tls` off (`redis://` in `--redis`)"

WITHOUT_CERTIFICATE = (
    ("certificate required", f"the server requires a client certificate: {NEEDS_CERTIFICATE}"),
    # The alert may be lost, as the server then disconnects.
    ("closed the connection", f"if it requires a client certificate, {NEEDS_CERTIFICATE}"),
)
WITH_CERTIFICATE = (
    ("unknown ca", "the server does not trust the authority that signed the certificate of REDIS_CERT_FILE"),
    ("closed the connection", "it may have refused the certificate of REDIS_CERT_FILE; its log says why"),
)
ALWAYS = (
    ("is not valid for", "use an address that its certificate names"),
    ("mismatch", "use an address that its certificate names"),
    ("has expired", "renew the certificate of the server"),
    ("certificate verify failed", "if its authority is your own, set REDIS_CA_FILE to the authority's certificate"),
    ("wrong version number", f"this port does not speak TLS: {PLAIN_PORT}"),
    ("record layer failure", f"this port does not speak TLS: {PLAIN_PORT}"),
    # A Redis without TLS waits for the end of the line.
    ("timeout connecting", f"if this port does not speak TLS, {PLAIN_PORT}"),
)


def tls_hint(detail: str, *, has_certificate: bool) -> str:
    """A hint that continues the error, or nothing. `has_certificate`: whether this client presents one."""
    words = detail.lower().replace("_", " ")
    hints = (*(WITH_CERTIFICATE if has_certificate else WITHOUT_CERTIFICATE), *ALWAYS)
    return next((f"; {hint}" for sign, hint in hints if sign in words), "")
