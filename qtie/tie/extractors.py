"""The extractors by name, for the command line, the service and `qtie.toml`."""

from collections.abc import Callable

from qtie.errors import ConfigError
from qtie.intent import IntentExtractor, IntentOptions
from qtie.tie.ensemble import EnsembleExtractor
from qtie.tie.grammar import GrammarExtractor
from qtie.tie.model import ModelExtractor

__all__ = ["DEFAULT_EXTRACTOR", "EXTRACTORS", "make_extractor"]

EXTRACTORS: dict[str, Callable[[IntentOptions], IntentExtractor]] = {
    "grammar": GrammarExtractor,
    "model": lambda options: ModelExtractor(options=options),
    "ensemble": lambda options: EnsembleExtractor(options=options),
}
DEFAULT_EXTRACTOR = "grammar"


def make_extractor(name: str | None = None, options: IntentOptions | None = None) -> IntentExtractor:
    """The extractor of that name; the default one for None.

    Raises:
        ConfigError: there is none of that name.

    Example:
        >>> str(make_extractor("grammar").extract("won in 1905").interval)
        '1905-01-01/1905-12-31'
    """
    chosen = name or DEFAULT_EXTRACTOR
    if chosen not in EXTRACTORS:
        raise ConfigError(f"unknown extractor {chosen!r}; one of {', '.join(EXTRACTORS)}")
    return EXTRACTORS[chosen](options or IntentOptions())
