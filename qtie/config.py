"""Settings: what `qtie.toml` says, for the command line, the service and the adapters alike."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

from qtie.errors import ConfigError
from qtie.intent import IntentOptions
from qtie.llm.backends import LlmOptions

__all__ = ["Config", "DocumentOptions", "EventOptions", "RankingOptions", "RetrievalOptions", "zone"]

MissingPolicy = Literal["neutral", "penalize", "drop", "estimate"]
Mode = Literal["soft", "strict"]

_TIME_KEYS = (
    *("event_date", "event_time", "date", "timestamp", "published_at", "published", "publication_date"),
    *("pub_date", "pubdate", "date_published", "datepublished", "published_date", "release_date", "datetime", "year"),
    "file_date",  # of a note, from its file's name
)
_FACET_KEYS: Mapping[str, tuple[str, ...]] = {
    "validity": ("validity",),
    "event": ("event_date", "event_time"),
    "published": (
        *("published", "published_at", "published_date", "publication_date", "pub_date", "pubdate"),
        *("date_published", "datepublished"),
    ),
    "released": ("released", "released_at", "release_date"),
    "born": ("born", "birth_date", "date_of_birth", "birthdate", "dob"),
    "died": ("died", "death_date", "date_of_death"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOptions:
    """Where documents keep their times: section `[documents]`; keys are found in any letter case.

    Raises:
        ConfigError: an unknown missing policy.
    """

    time_keys: tuple[str, ...] = _TIME_KEYS
    """Metadata keys for the timestamp; the first that has a time wins. Dots lead into nested objects: `meta.date`."""
    facet_keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Facet to its metadata keys, the first that has a time wins; facets not named here keep their usual keys."""
    missing: MissingPolicy = "neutral"
    """What a document without a time gets: a neutral score, a low one, no place, or a time read from its text."""

    def __post_init__(self) -> None:
        _check_choice("missing", self.missing, get_args(MissingPolicy))
        object.__setattr__(self, "facet_keys", {**_FACET_KEYS, **self.facet_keys})


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingOptions:
    """How the two scores become one: section `[ranking]`; None leaves the choice to the ranker.

    Names are checked by what uses them.

    Raises:
        ConfigError: a weight outside [0, 1], or an unknown mode.
    """

    temporal_weight: float | None = None
    """In [0, 1]; 0 keeps the semantic order, 1 ranks by time alone."""
    fusion: str | None = None
    normalization: str | None = None
    kernel: str | None = None
    """Name of the temporal relevance function."""
    mode: Mode = "soft"
    """soft: a wrong time lowers a document; strict: it removes it."""

    def __post_init__(self) -> None:
        _check_share("temporal_weight", self.temporal_weight)
        _check_choice("mode", self.mode, get_args(Mode))


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalOptions:
    """How candidates are found: section `[retrieval]`; None leaves the choice to the retriever.

    Raises:
        ConfigError: a weight outside [0, 1].
    """

    retriever: str | None = None
    """Name of the retriever, such as bm25, dense or hybrid."""
    encoder: str | None = None
    """Name or folder of the dense encoder."""
    dense_weight: float | None = None
    """In [0, 1]: the dense score's share in the hybrid."""

    def __post_init__(self) -> None:
        _check_share("dense_weight", self.dense_weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOptions:
    """Whether events that a query names ("during the war") become days: section `[events]`."""

    resolve: bool = False
    files: tuple[str, ...] = ()
    """JSONL files of events besides those that come with the package; naming one turns `resolve` on."""
    llm: str | None = None
    """Backend of a language model that is asked about events which nothing else resolves, as section `[llm]` says."""
    own_knowledge: bool = False
    """Whether that model may date events from memory, where no fact is found; nothing checks such dates."""

    def __post_init__(self) -> None:
        if self.files:
            object.__setattr__(self, "resolve", True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings; every key of `qtie.toml` may be left out.

    Raises:
        ConfigError: an unknown section or key, a value of the wrong type or out of range; says which.

    Example:
        >>> config = Config.parse('''
        ... [intent]
        ... time_zone = "Europe/Berlin"         # the IANA zone of times without one
        ... date_order = "dmy"                  # 03/04/2023 is 3 April
        ... week_start = 0                      # Monday
        ... fiscal_year_start = 10
        ... hemisphere = "north"
        ... prefer = "past"
        ... two_digit_pivot = 5
        ...
        ... [events]
        ... files = ["our_events.jsonl"]        # besides the events that come with the package
        ...
        ... [documents]
        ... time_keys = ["meta.event_date", "published_at"]
        ... facet_keys = { born = ["birthday"], updated = ["updated_at"] }
        ... missing = "neutral"                 # or penalize, drop, estimate
        ...
        ... [ranking]
        ... temporal_weight = 0.5
        ... fusion = "product_of_experts"
        ... mode = "soft"                       # or strict
        ...
        ... [retrieval]
        ... retriever = "hybrid"
        ... dense_weight = 0.6
        ...
        ... [llm]
        ... base_url = "http://localhost:8000/v1"
        ... model = "qwen3"
        ... api_key_env = "MY_KEY"              # the variable that holds the key
        ... timeout_seconds = 60
        ... cache = "answers.sqlite"
        ... ''')
        >>> config.intent.fiscal_year_start, config.documents.time_keys, config.documents.facet_keys["born"]
        (10, ('meta.event_date', 'published_at'), ('birthday',))
    """

    intent: IntentOptions = field(default_factory=IntentOptions)
    documents: DocumentOptions = field(default_factory=DocumentOptions)
    ranking: RankingOptions = field(default_factory=RankingOptions)
    retrieval: RetrievalOptions = field(default_factory=RetrievalOptions)
    llm: LlmOptions = field(default_factory=LlmOptions)
    events: EventOptions = field(default_factory=EventOptions)

    @classmethod
    def load(cls, path: Path | str | None = None) -> "Config":
        """The settings of that file; without a path, of `qtie.toml` in the working directory if there is one.

        Raises:
            ConfigError: the file cannot be read, or says what makes no sense; names file and key.
        """
        file = Path("qtie.toml") if path is None else Path(path)
        try:
            text = file.read_text("utf-8-sig")
        except (OSError, ValueError) as error:  # ValueError: not UTF-8
            if path is None and isinstance(error, FileNotFoundError):
                return cls()
            raise ConfigError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
        return cls.parse(text, source=str(file))

    @classmethod
    def parse(cls, text: str, *, source: str = "qtie.toml") -> "Config":
        """The settings that a TOML text states; errors name `source`.

        Raises:
            ConfigError: as `load`.
        """
        try:
            record = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{source}: not TOML: {error}") from error
        try:
            sections = get_type_hints(cls)
            _check_known("section", record, sections)
            return cls(**{name: _section(name, record[name], sections[name]) for name in record})
        except ConfigError as error:
            raise ConfigError(f"{source}: {error}") from error


@lru_cache(maxsize=64)
def zone(name: str) -> tzinfo:
    """The time zone of that IANA name.

    Raises:
        ConfigError: this machine knows none.

    Example:
        >>> str(zone("UTC"))
        'UTC'
    """
    if name == "UTC":  # needs no zone files
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ConfigError(f"time_zone: no IANA time zone {name!r}") from error


def _section(name: str, values: object, options: type[Any]) -> Any:
    if not isinstance(values, dict):
        raise ConfigError(f"[{name}] must be a table of keys, not {values!r}")
    try:
        hints = get_type_hints(options)
        _check_known("key", values, hints)
        converted = {key: _convert(key, value, hints[key]) for key, value in values.items()}
        if "time_zone" in converted:
            zone(converted["time_zone"])
        return options(**converted)
    except ConfigError as error:
        raise ConfigError(f"[{name}] {error}") from error


def _convert(key: str, value: object, hint: Any) -> Any:
    """A TOML value as the field of that type hint wants it."""
    if type(None) in get_args(hint):  # `float | None`: the file says a number, or nothing
        hint = get_args(hint)[0]
    if get_origin(hint) is Literal and isinstance(value, str):
        return value  # its options check the choice
    if hint in (str, int, bool) and type(value) is hint:
        return value
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if get_origin(hint) is tuple and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if get_origin(hint) is Mapping and isinstance(value, dict):
        return {name: _convert(f"{key}.{name}", item, get_args(hint)[1]) for name, item in value.items()}
    raise ConfigError(f"{key} must be {_expected(hint)}, not {value!r}")


def _expected(hint: Any) -> str:
    if get_origin(hint) is tuple:
        return "a list of strings"
    if get_origin(hint) is Mapping:
        return "a table of lists of strings"
    if get_origin(hint) is Literal:
        return f"one of {', '.join(get_args(hint))}"
    return {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}[hint]


def _check_known(kind: str, names: Mapping[str, object], known: Mapping[str, object]) -> None:
    for name in names:
        if name not in known:
            raise ConfigError(f"unknown {kind} {name!r}; one of {', '.join(known)}")


def _check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        raise ConfigError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def _check_share(name: str, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise ConfigError(f"{name} must be from 0 to 1, not {value!r}")
