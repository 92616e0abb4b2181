"""Credentials for Redis, from the environment: user, password and trusted authorities. They are never printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Redis


@dataclass(frozen=True, slots=True)
class Credentials:
    """User, password and trusted authorities."""

    username: str | None = None
    """None means `auth.username` of the platform file, or the default user."""
    password: str | None = field(default=None, repr=False)
    password_file: Path | None = None
    """Read again for every connection, so that a rotated secret is used."""
    ca_file: Path | None = None
    """Certificate authorities to trust instead of the system's."""
    sentinel_password: str | None = field(default=None, repr=False)
    """Sentinels often have no password, and must not get the one of Redis."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Credentials:
        """Read the variables that the manifests set from secrets. An empty variable counts as unset."""
        password, password_file = environ.get("REDIS_PASSWORD"), environ.get("REDIS_PASSWORD_FILE")
        if password and password_file:
            raise CannotGoOn("REDIS_PASSWORD and REDIS_PASSWORD_FILE are both set", "set one of them")
        ca_file = environ.get("REDIS_CA_FILE")
        return cls(
            username=environ.get("REDIS_USERNAME") or None,
            password=password or None,
            password_file=Path(password_file) if password_file else None,
            ca_file=Path(ca_file) if ca_file else None,
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
        for variable, file in (("REDIS_PASSWORD_FILE", self.password_file), ("REDIS_CA_FILE", self.ca_file)):
            try:
                if file:
                    file.read_bytes()
            except OSError as error:
                raise CannotGoOn(
                    f"{variable} names `{file}`, which cannot be read: {error.strerror}", "mount the secret there"
                ) from error
