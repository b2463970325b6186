"""The extractors by name, for the command line, the service and `qtie.toml`."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Protocol, runtime_checkable

from qtie.errors import ConfigError
from qtie.intent import IntentExtractor, IntentOptions, TemporalIntent
from qtie.llm.backends import BACKENDS, LlmOptions, make_chat
from qtie.tie.ensemble import EnsembleExtractor
from qtie.tie.grammar import GrammarExtractor
from qtie.tie.llm_extractor import LlmExtractor
from qtie.tie.model import ModelExtractor

__all__ = [
    "DEFAULT_EXTRACTOR",
    "EXTRACTORS",
    "BatchExtractor",
    "explanation",
    "extract_all",
    "extractor_names",
    "make_extractor",
]

EXTRACTORS: dict[str, Callable[[IntentOptions], IntentExtractor]] = {
    "grammar": GrammarExtractor,
    "model": lambda options: ModelExtractor(options=options),
    "ensemble": lambda options: EnsembleExtractor(options=options),
}
"""Those that qtie brings; besides, each backend of `qtie.llm` is one by its own name."""
DEFAULT_EXTRACTOR = "ensemble"
_N_SHOTS = 4


@runtime_checkable
class BatchExtractor(Protocol):
    """An extractor that reads many queries together, faster than one by one."""

    def extract_batch(
        self, queries: Sequence[str], *, reference_dates: Sequence[date | None] | None = None
    ) -> list[TemporalIntent]:
        """The intents of the queries, in order."""
        ...


def extractor_names() -> list[str]:
    """The names that `make_extractor` knows."""
    return [*EXTRACTORS, *BACKENDS]


def make_extractor(
    name: str | None = None, options: IntentOptions | None = None, *, llm: LlmOptions | None = None
) -> IntentExtractor:
    """The extractor of that name; the default one for None.

    Args:
        llm: which language model is asked, where the name is that of a backend.

    Raises:
        ConfigError: there is none of that name, or what it needs is not given.
        MissingExtraError: its packages are missing.

    Example:
        >>> str(make_extractor("grammar").extract("won in 1905").interval)
        '1905-01-01/1905-12-31'
    """
    chosen, options, llm = name or DEFAULT_EXTRACTOR, options or IntentOptions(), llm or LlmOptions()
    if chosen in BACKENDS:
        return _llm_extractor(chosen, options, llm)
    if chosen not in EXTRACTORS:
        raise ConfigError(f"unknown extractor {chosen!r}; one of {', '.join(extractor_names())}")
    return EXTRACTORS[chosen](options)


def _llm_extractor(name: str, options: IntentOptions, llm: LlmOptions) -> LlmExtractor:
    if llm.fallback not in ("none", *EXTRACTORS):
        raise ConfigError(f"fallback must be one of {', '.join(EXTRACTORS)}, none, not {llm.fallback!r}")
    default_shots = 0 if llm.adapter else _N_SHOTS
    return LlmExtractor(
        make_chat(name, llm),
        granularity=llm.granularity,
        shots=default_shots if llm.shots is None else llm.shots,
        json_schema=llm.json_schema,
        fallback=None if llm.fallback == "none" else EXTRACTORS[llm.fallback](options),
        options=options,
    )


def extract_all(
    extractor: IntentExtractor, queries: Sequence[str], *, reference_dates: Sequence[date | None]
) -> list[TemporalIntent]:
    """The intents of many queries, in order; together where the extractor can.

    Args:
        reference_dates: one for each query.

    Example:
        >>> intents = extract_all(GrammarExtractor(), ["in 1905", "who won"], reference_dates=[None, None])
        >>> [intent.is_temporal for intent in intents]
        [True, False]
    """
    if isinstance(extractor, BatchExtractor):
        return extractor.extract_batch(queries, reference_dates=reference_dates)
    return [extractor.extract(query, reference_date=day) for query, day in zip(queries, reference_dates, strict=True)]


def explanation(extractor: IntentExtractor, intent: TemporalIntent) -> list[str]:
    """What lies behind an intent that the extractor gave: constraints, who decided, and how the model read the words.

    Example:
        >>> grammar = GrammarExtractor()
        >>> explanation(grammar, grammar.extract("who won before 1905"))
        ['before 1905: before, year, confidence 1.00, target any, by rule before X']
    """
    lines = [
        f"{intent.query[slice(*c.span)]}: {c.operator}, {c.granularity}, confidence {c.confidence:.2f},"
        f" target {c.target}, by rule {c.rule}"
        for c in intent.constraints
    ]
    if isinstance(extractor, EnsembleExtractor):
        return lines + extractor.decide(intent.query, reference_date=intent.reference_date).lines()
    if isinstance(extractor, ModelExtractor):
        return lines + extractor.explain(intent.query, reference_date=intent.reference_date).lines()
    return lines
