"""Options that commands share, and what they stand for: settings, an extractor, a reranker, a searcher."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import reduce
from typing import Any, TypeVar, get_args

import click

from qtie.cli.console import parsed, progress
from qtie.config import Config, MissingPolicy
from qtie.errors import ConfigError
from qtie.fusion import FUSIONS
from qtie.interval import TimeInterval
from qtie.kernels import KERNELS
from qtie.llm.backends import BACKENDS
from qtie.normalization import NORMALIZATIONS
from qtie.reranker import TemporalReranker
from qtie.rewriting.rewriters import resolving
from qtie.tie.extractors import DEFAULT_EXTRACTOR, EXTRACTORS, extractor_names, make_extractor

__all__ = [
    "check_stdin",
    "config_option",
    "date_of",
    "extractor_options",
    "json_option",
    "load_config",
    "make_reader",
    "make_reranker",
    "make_searcher",
    "query_argument",
    "ranking_options",
    "reading_options",
    "reference_date_option",
    "retrieval_options",
    "scoring_options",
    "words_of",
]

Command = TypeVar("Command", bound=Callable[..., None])
_CHOICES: dict[str, list[str]] = {
    "fusion": list(FUSIONS),
    "normalization": ["auto", *NORMALIZATIONS],
    "kernel": list(KERNELS),
    "missing": list(get_args(MissingPolicy)),
    "retriever": ["bm25", "dense", "hybrid", "tempretriever", "tscontriever", "tsm"],
}


def date_of(value: object) -> date:
    """An option's day.

    Raises:
        ConfigError: not YYYY-MM-DD.
    """
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise ConfigError(f"reference date must be YYYY-MM-DD, not {value!r}") from None


def words_of(words: str | Sequence[str]) -> str:
    """An argument's words as one text.

    Raises:
        ConfigError: not UTF-8.
    """
    text = words if isinstance(words, str) else " ".join(words)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError("not UTF-8") from None
    return text


def _combined(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


query_argument = click.argument("query", callback=parsed(words_of))
config_option = click.option(
    "--config", "config_path", type=click.Path(), help="Settings.  [default: ./qtie.toml, where there is one]"
)
reference_date_option = click.option(
    "--reference-date", callback=parsed(date_of), help="The day of asking, YYYY-MM-DD.  [default: today]"
)
_LLM = ("model", "base_url", "api_key_env", "endpoint", "adapter", "shots", "granularity", "fallback")
_EVENTS = ("resolve_events", "events")
extractor_options = _combined(
    config_option,
    click.option(
        "--extractor",
        type=click.Choice(extractor_names()),
        help=f"What reads the query's time.  [default: {DEFAULT_EXTRACTOR}]",
    ),
    click.option("--model", help="Of a language model: its name, folder or GGUF file."),
    click.option("--base-url", help="Of a language model's endpoint, such as http://localhost:8000/v1."),
    click.option("--api-key-env", help="The environment variable that holds the endpoint's key."),
    click.option("--endpoint", type=click.Choice(["chat", "completions"]), help="How it is asked.  [default: chat]"),
    click.option("--adapter", help="Folder of a LoRA adapter for a local model."),
    click.option("--shots", type=click.IntRange(0, 4), help="Demonstrations for a language model.  [default: 4]"),
    click.option("--granularity", type=click.Choice(["day", "month"]), help="Of its answers.  [default: day]"),
    click.option(
        "--fallback",
        type=click.Choice([*EXTRACTORS, "none"]),
        help="What reads queries that a language model fails on.  [default: grammar]",
    ),
    click.option("--resolve-events", is_flag=True, help="Put the days of named events in: 'during the Falklands War'."),
    click.option("--events", multiple=True, type=click.Path(), help="JSONL of further events; resolves them too."),
)
reading_options = _combined(reference_date_option, extractor_options)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON record a line.")
scoring_options = _combined(
    click.option("--temporal-weight", type=float, help="w in [0, 1]: 0 keeps the semantic order."),
    click.option(
        "--fusion",
        type=click.Choice(_CHOICES["fusion"]),
        help="How the two scores become one.  [default: product_of_experts]",
    ),
    click.option(
        "--normalization",
        type=click.Choice(_CHOICES["normalization"]),
        help="What the candidates' scores are.  [default: auto]",
    ),
    click.option(
        "--kernel", type=click.Choice(_CHOICES["kernel"]), help="Formula of how well a time fits.  [default: graded]"
    ),
    click.option(
        "--missing",
        type=click.Choice(_CHOICES["missing"]),
        help="What becomes of undated documents.  [default: neutral]",
    ),
    click.option(
        "--strict",
        is_flag=True,
        help="Remove documents outside the asked time; undated documents stay (--missing drop removes them).",
    ),
)
ranking_options = _combined(
    scoring_options,
    click.option(
        "--interval",
        callback=parsed(TimeInterval.parse),
        help="Days to ask for besides what the query says, such as 2019/2020.",
    ),
    click.option("--explain", is_flag=True, help="Say why each document stands where it does."),
)
retrieval_options = _combined(
    click.option(
        "--retriever", type=click.Choice(_CHOICES["retriever"]), help="How the topic is scored.  [default: bm25]"
    ),
    click.option("--encoder", help="Encoder of all but bm25: minilm, a folder or a model's name."),
)


def load_config(config_path: str | None) -> Config:
    """The settings, with the names in them checked."""
    config = Config.load(config_path)
    for section, named in (("ranking", config.ranking), ("retrieval", config.retrieval)):
        for key, choices in _CHOICES.items():
            value = getattr(named, key, None)
            if value is not None and value not in choices:
                choice = f"{key} must be one of {', '.join(choices)}, not {value!r}"
                raise ConfigError(f"{config_path or 'qtie.toml'}: [{section}] {choice}")
    return config


def make_reader(
    config_path: str | None, extractor: str | None, *, resolve_events: bool, events: Sequence[str], **llm: Any
) -> tuple[Config, Any]:
    """The settings, and the extractor that the option or the settings name; options come before settings."""
    config = load_config(config_path)
    given = {name: value for name, value in llm.items() if value is not None}
    if given and extractor not in BACKENDS:
        option = next(iter(given)).replace("_", "-")
        raise ConfigError(f"--{option} goes with --extractor {' or '.join(BACKENDS)}")
    named = replace(
        config.events, resolve=config.events.resolve or resolve_events, files=(*config.events.files, *events)
    )
    config = replace(config, llm=replace(config.llm, **given), events=named)
    return config, resolving(make_extractor(extractor, config.intent, llm=config.llm), config)


def check_stdin(*sources: str) -> None:
    """Refuse to read standard input twice."""
    if sources.count("-") > 1:
        raise ConfigError("standard input can be read once only: give - for one file")


def make_reranker(options: dict[str, Any]) -> tuple[TemporalReranker, Config, dict[str, Any]]:
    """The reranker that the options and qtie.toml describe, and what is asked besides the query."""
    config, extractor = make_reader(**{name: options[name] for name in ("config_path", "extractor", *_EVENTS, *_LLM)})
    named: dict[str, Any] = {name: options[name] for name in ("temporal_weight", "fusion", "normalization", "kernel")}
    chosen = {name: value for name, value in named.items() if value is not None}
    if options["strict"]:
        chosen["mode"] = "strict"
    missing = {"missing": options["missing"]} if options["missing"] else {}
    config = replace(config, ranking=replace(config.ranking, **chosen), documents=replace(config.documents, **missing))
    asked = {"reference_date": options["reference_date"] or date.today(), "interval": options.get("interval")}
    return TemporalReranker.from_config(config, extractor=extractor), config, asked


def make_searcher(corpus: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The searcher over a corpus that the options and qtie.toml describe, and what is asked besides the query."""
    from qtie.corpus import read_corpus
    from qtie.retrieval.encoders import load_encoder
    from qtie.retrieval.grounding import evidence_search
    from qtie.retrieval.hybrid import DENSE_WEIGHT, make_retriever
    from qtie.retrieval.search import TemporalSearcher

    reranker, config, asked = make_reranker(options)
    name = options["retriever"] or config.retrieval.retriever or "bm25"
    encoder = None if name == "bm25" else load_encoder(options["encoder"] or config.retrieval.encoder or "minilm")
    weight = DENSE_WEIGHT if config.retrieval.dense_weight is None else config.retrieval.dense_weight
    documents = list(progress(read_corpus(corpus, config=config), label="reading"))
    retriever = make_retriever(name, documents, encoder=encoder, dense_weight=weight)
    searcher = TemporalSearcher(documents, retriever, reranker=reranker)
    searcher.reranker.extractor = resolving(reranker.extractor, config, search=evidence_search(searcher))
    return searcher, asked
