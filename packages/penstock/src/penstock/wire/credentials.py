"""Credentials for Redis, from the environment: user, password and certificates. They are never printed."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Redis


@dataclass(frozen=True, slots=True)
class Credentials:
    """User, password, certificate and trusted authorities."""

    username: str | None = None
    """None means `auth.username` of the platform file, or the default user."""
    password: str | None = field(default=None, repr=False)
    password_file: Path | None = None
    """Read again for every connection, so that a rotated secret is used."""
    ca_file: Path | None = None
    """Certificate authorities to trust instead of the system's."""
    cert_file: Path | None = None
    """The client's certificate, with its chain, for servers that require one. Read again for every connection."""
    key_file: Path | None = None
    """Its private key, without a passphrase."""
    sentinel_password: str | None = field(default=None, repr=False)
    """Sentinels often have no password, and must not get the one of Redis."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Credentials:
        """Read the variables that the manifests set from secrets. An empty variable counts as unset."""
        password, password_file = environ.get("REDIS_PASSWORD"), environ.get("REDIS_PASSWORD_FILE")
        if password and password_file:
            raise CannotGoOn("REDIS_PASSWORD and REDIS_PASSWORD_FILE are both set", "set one of them")
        ca_file = environ.get("REDIS_CA_FILE")
        cert_file, key_file = environ.get("REDIS_CERT_FILE"), environ.get("REDIS_KEY_FILE")
        for alone, other, name in ((cert_file, key_file, "KEY"), (key_file, cert_file, "CERT")):
            if alone and not other:
                says = "a client certificate needs both REDIS_CERT_FILE and REDIS_KEY_FILE"
                raise CannotGoOn(says, f"set REDIS_{name}_FILE to the file that belongs to `{alone}`")
        return cls(
            username=environ.get("REDIS_USERNAME") or None,
            password=password or None,
            password_file=Path(password_file) if password_file else None,
            ca_file=Path(ca_file) if ca_file else None,
            cert_file=Path(cert_file) if cert_file else None,
            key_file=Path(key_file) if key_file else None,
            sentinel_password=environ.get("REDIS_SENTINEL_PASSWORD") or None,
        )

    def secret(self) -> str | bytes | None:
        """Return the current password. Raises OSError if its file cannot be read."""
        if self.password_file is None:
            return self.password
        return self.password_file.read_bytes().rstrip(b"\r\n")

    def check(self, redis: Redis) -> None:
        """Refuse missing credentials before the first connection."""
        auth = redis.auth
        if auth and auth.secret and self.password is None and self.password_file is None:
            raise CannotGoOn(
                f"the platform file names a secret for Redis, `{auth.secret}`, but there is no password",
                "set REDIS_PASSWORD, or set REDIS_PASSWORD_FILE to a file with the password",
            )
        if redis.certificate and self.cert_file is None:
            raise CannotGoOn(
                f"the platform file names a client certificate, `{redis.certificate.secret}`, but there is none",
                "set REDIS_CERT_FILE and REDIS_KEY_FILE to the files with the certificate and its key",
            )
        if self.cert_file and not redis.tls:
            raise CannotGoOn(
                "there is a client certificate (REDIS_CERT_FILE), but the connection to Redis has no TLS",
                "set `redis.tls: true` in the platform file, or write `rediss://` in `--redis`",
            )
        for variable, file in (
            ("REDIS_PASSWORD_FILE", self.password_file),
            ("REDIS_CA_FILE", self.ca_file),
            ("REDIS_CERT_FILE", self.cert_file),
            ("REDIS_KEY_FILE", self.key_file),
        ):
            try:
                if file:
                    file.read_bytes()
            except OSError as error:
                raise CannotGoOn(
                    f"{variable} names `{file}`, which cannot be read: {error.strerror}", "mount the secret there"
                ) from error
        if redis.tls:
            try:
                self.tls_context()
            except BadCertificateError as error:
                raise CannotGoOn(str(error), error.hint) from error

    def tls_context(self) -> ssl.SSLContext:
        """The settings of TLS. Certificates and host names are always verified.

        Raises BadCertificateError; raises OSError if a file cannot be read.
        """
        try:
            context = ssl.create_default_context(cafile=self.ca_file)
        except ssl.SSLError as error:
            raise BadCertificateError(
                f"REDIS_CA_FILE names `{self.ca_file}`, which has no certificate: {error.reason or error}",
                "name a file with certificates in PEM format",
            ) from error
        if self.cert_file is not None:
            try:
                # Without this function, OpenSSL would ask a terminal for a passphrase, and wait.
                context.load_cert_chain(self.cert_file, self.key_file, password=_no_passphrase)
            except _PassphraseError as error:
                raise BadCertificateError(
                    f"the key in `{self.key_file}` (REDIS_KEY_FILE) is encrypted with a passphrase",
                    f"decrypt it: `openssl pkey -in {self.key_file} -out FILE`",
                ) from error
            except ssl.SSLError as error:
                files = f"`{self.cert_file}` (REDIS_CERT_FILE) and `{self.key_file}` (REDIS_KEY_FILE)"
                if error.reason == "KEY_VALUES_MISMATCH":
                    raise BadCertificateError(
                        f"the key does not belong to the certificate: {files}", "name the key of this certificate"
                    ) from error
                raise BadCertificateError(
                    f"there is no certificate and key in {files}: {error.reason or error}",
                    "name files in PEM format: the certificate with its chain, and its private key",
                ) from error
        return context


class BadCertificateError(Exception):
    """A file with certificates or a key cannot be used. Its text names the file, and never the content."""

    def __init__(self, says: str, hint: str) -> None:
        """`hint` says what to do."""
        super().__init__(says)
        self.hint = hint


class _PassphraseError(Exception):
    """A key is encrypted."""


def _no_passphrase() -> str:
    raise _PassphraseError
