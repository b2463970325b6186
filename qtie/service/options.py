"""What the service is told at its start: who may ask, how much, and what stands behind it."""

from dataclasses import dataclass, field

from qtie.errors import ConfigError

__all__ = ["Limits", "ServiceOptions", "Upstream"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one request may cost; what exceeds it is refused with a 4xx that says so.

    Raises:
        ConfigError: a limit is not positive.
    """

    max_body_bytes: int = 10_000_000
    max_documents: int = 1_000
    max_text_chars: int = 100_000
    """Of one document."""
    max_query_chars: int = 4_000
    max_k: int = 1_000
    """Documents that one search returns."""
    timeout_seconds: float = 30.0
    """For the request to arrive, and again for its answer."""
    header_seconds: float = 10.0
    """From the first byte of a request, or an opened connection, to the end of its headers."""
    max_in_flight: int = 64
    """Requests that are worked on or wait; further ones get a 429."""

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} must be positive, not {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The re-ranker whose scores are taken for the topic: proxy mode.

    Raises:
        ConfigError: no HTTP address, or an unknown dialect.
    """

    url: str
    """Of its endpoint, such as http://localhost:8080/v1/rerank."""
    dialect: str = "cohere"
    """cohere: `documents` and `results`, as Cohere, Jina and vLLM have them; tei: `texts` and a bare list."""
    model: str | None = None
    """Sent along; by default the client's own."""
    token: str | None = field(default=None, repr=False)
    """Sent as a bearer token."""
    timeout_seconds: float = 20.0

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise ConfigError(f"the upstream must be an http:// or https:// address, not {self.url!r}")
        if self.dialect not in DIALECTS:
            raise ConfigError(f"upstream dialect must be one of {', '.join(DIALECTS)}, not {self.dialect!r}")


DIALECTS = ("cohere", "tei")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """All of it."""

    token: str | None = field(default=None, repr=False)
    """The bearer token that clients must show; None: everyone may ask."""
    shadow: bool = False
    """Answer as if no query asked for a time, and only count what would have changed."""
    upstream: Upstream | None = None
    n_threads: int = 2
    """Requests that are computed at a time."""
    limits: Limits = field(default_factory=Limits)
