"""The command line: a pipe. Results alone go to stdout; an error is one line on stderr and exit status 2."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import reduce
from typing import Any, TypeVar, get_args

import click

from qtie.commands import data, tie, train
from qtie.config import Config, MissingPolicy
from qtie.console import Commands, parsed, progress, say, write, write_json
from qtie.errors import ConfigError, DocumentError
from qtie.fusion import FUSIONS
from qtie.interval import TimeInterval
from qtie.kernels import KERNELS
from qtie.normalization import NORMALIZATIONS
from qtie.ranking import Ranking
from qtie.reranker import TemporalReranker
from qtie.tie.extractors import EXTRACTORS, make_extractor

__all__ = ["main"]

Command = TypeVar("Command", bound=Callable[..., None])
Item = TypeVar("Item")
_CHOICES: dict[str, list[str]] = {
    "fusion": list(FUSIONS),
    "normalization": ["auto", *NORMALIZATIONS],
    "kernel": list(KERNELS),
    "missing": list(get_args(MissingPolicy)),
    "retriever": ["bm25", "dense", "hybrid"],
}


def _day(value: object) -> date:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise ConfigError(f"reference date must be YYYY-MM-DD, not {value!r}") from None


def _words(words: str | Sequence[str]) -> str:
    text = words if isinstance(words, str) else " ".join(words)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError("not UTF-8") from None
    return text


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="qtie")
def main() -> None:
    """Search that knows when: reads the time a query asks for, and ranks by topic and time together."""


def _options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


_query = click.argument("query", callback=parsed(_words))
_settings = click.option(
    "--config", "config_path", type=click.Path(), help="Settings.  [default: ./qtie.toml, where there is one]"
)
_today = click.option(
    "--reference-date", callback=parsed(_day), help="The day of asking, YYYY-MM-DD.  [default: today]"
)
_reading = _options(
    _today,
    _settings,
    click.option(
        "--extractor", type=click.Choice(list(EXTRACTORS)), help="What reads the query's time.  [default: grammar]"
    ),
)
_output = click.option("--json", "as_json", is_flag=True, help="One JSON record a line.")
_scoring = _options(
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
    click.option("--strict", is_flag=True, help="Remove documents outside the asked time."),
)
_ranking = _options(
    _scoring,
    click.option(
        "--interval",
        callback=parsed(TimeInterval.parse),
        help="Days to ask for besides what the query says, such as 2019/2020.",
    ),
    click.option("--explain", is_flag=True, help="Say why each document stands where it does."),
)
_retrieval = _options(
    click.option(
        "--retriever", type=click.Choice(_CHOICES["retriever"]), help="How the topic is scored.  [default: bm25]"
    ),
    click.option("--encoder", help="Encoder of dense and hybrid: minilm, a folder or a model's name."),
)


@main.command()
@click.argument("query", nargs=-1, required=True, callback=parsed(_words))
@_reading
@_output
@click.option("--explain", is_flag=True, help="Every constraint with its words, rule and readings.")
def intent(query: str, as_json: bool, explain: bool, reference_date: date | None, **reading: Any) -> None:
    """The time that QUERY asks for; `-` reads queries from stdin, one a line, plain or as JSON with `query`."""
    _, extractor = _setup(**reading)
    today = reference_date or date.today()
    if query == "-":
        from qtie.evaluation.datasets import read_query_lines

        for fields, day in read_query_lines("-"):
            write_json({**fields, **extractor.extract(fields["query"], reference_date=day or today).to_dict()})
        return
    found = extractor.extract(query, reference_date=today)
    if as_json:
        write_json(found.to_dict())
        return
    click.echo(found.highlight(click.style("[", fg="green"), click.style("]", fg="green")))
    click.echo(found.explain())
    if found.is_temporal:
        click.echo(f"asks: {' or '.join(map(str, found.intervals)) or 'any time'}")
        click.echo(f"semantic query: {found.semantic_query}")
    if explain:
        for c in found.constraints:
            click.echo(f"  {c.rule}: {c.operator}, {c.granularity}, confidence {c.confidence:.2f}, target {c.target}")


@main.command()
@_query
@click.argument("candidates", type=click.Path(allow_dash=True))
@click.option("-k", type=click.IntRange(min=1), help="How many to return.  [default: all]")
@_reading
@_ranking
@_output
def rerank(query: str, candidates: str, k: int | None, as_json: bool, explain: bool, **options: Any) -> None:
    """Re-rank CANDIDATES (JSONL with `text`, times and an optional `score`; `-` for stdin) for QUERY."""
    from qtie.corpus import read_corpus

    reranker, config, asked = _reranker(options)
    documents = list(progress(read_corpus(candidates, config=config), label="reading"))
    without = [document.doc_id for document in documents if document.score is None]
    if without and len(without) < len(documents):
        raise DocumentError(f"{candidates}: document {without[0]!r}: field 'score': missing, while others have one")
    ranking = reranker.rank(query, documents, k=k, **asked)
    _write_ranking(ranking, as_json=as_json, explain=explain)


@main.command()
@_query
@click.argument("corpus", type=click.Path(allow_dash=True))
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many documents to return.")
@_reading
@_ranking
@_retrieval
@_output
def search(query: str, corpus: str, k: int, as_json: bool, explain: bool, **options: Any) -> None:
    """Search CORPUS (JSONL, CSV, or a folder of Markdown and text files) for QUERY, by topic and time."""
    searcher, asked = _searcher(corpus, options)
    ranking = searcher.search(query, k=k, **asked)
    _write_ranking(ranking, as_json=as_json, explain=explain)


@main.command()
@click.argument("corpus", type=click.Path(allow_dash=True))
@click.argument("queries", type=click.Path(allow_dash=True))
@click.option("-k", type=click.IntRange(min=1), default=100, show_default=True, help="How many documents a query gets.")
@click.option("--out", default="-", show_default=True, help="The run's file.")
@click.option("--tag", default="qtie", show_default=True, callback=parsed(_words), help="The run's name.")
@click.option("--ignore-time", is_flag=True, help="The retriever alone, as a baseline.")
@_reading
@_scoring
@_retrieval
@_output
def run(
    corpus: str, queries: str, k: int, out: str, tag: str, ignore_time: bool, as_json: bool, **options: Any
) -> None:
    """A TREC run of QUERIES (`_id`, `text`) over CORPUS, both as in a BEIR folder."""
    from qtie.evaluation.datasets import read_queries
    from qtie.evaluation.trec import check_ids, check_writable, write_run
    from qtie.intent import TemporalIntent

    _check_stdin(corpus, queries)
    if as_json and out != "-":
        raise ConfigError("--json writes to stdout, --out a TREC run: give one of them")
    check_writable(out)
    check_ids([tag], "tag")
    asked = list(read_queries(queries))
    check_ids([query.query_id for query in asked], f"{queries}: _id")
    searcher, given = _searcher(corpus, options)
    check_ids([document.doc_id for document in searcher.documents], f"{corpus}: _id")
    days = {query.query_id: query.reference_date or given["reference_date"] for query in asked}
    plain = {query.query_id: TemporalIntent(query=query.text) for query in asked} if ignore_time else None
    texts = {query.query_id: query.text for query in asked}
    ranked = searcher.run(texts, k=k, reference_dates=days, intents=plain)
    found = dict(progress(ranked, total=len(asked), label="searching"))
    if not as_json:
        write_run(found, out, tag=tag)
        return
    for query_id, scores in found.items():
        for rank, (doc_id, score) in enumerate(scores.items(), start=1):
            write_json({"query_id": query_id, "rank": rank, "doc_id": doc_id, "score": score})


@main.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("run_path", metavar="RUN", type=click.Path(allow_dash=True))
@click.argument("measures", metavar="MEASURE...", nargs=-1)
@click.option("--corpus", type=click.Path(), help="The documents, for violation@k.")
@click.option("--queries", type=click.Path(), help="The queries, for violation@k and harm.")
@click.option("--baseline", type=click.Path(), help="The run that harm is measured against.")
@click.option("--per-query", is_flag=True, help="One line a query and measure.")
@_reading
@_output
def evaluate(
    qrels: str, run_path: str, measures: Sequence[str], corpus: str | None, queries: str | None,
    baseline: str | None, per_query: bool, as_json: bool, reference_date: date | None, **reading: Any,
) -> None:  # fmt: skip
    """Measures such as P@1 R@5 nDCG@10 RR violation@10 harm of RUN; P@1 nDCG@10 where none is named."""
    from qtie.corpus import read_corpus
    from qtie.evaluation.datasets import read_queries
    from qtie.evaluation.measures import evaluate as measured
    from qtie.evaluation.trec import read_qrels, read_run

    for name in measures:
        if name.startswith("violation@") and not (corpus and queries):
            raise ConfigError(f"{name} needs --corpus and --queries")
        if name == "harm" and not (baseline and queries):
            raise ConfigError("harm needs --baseline and --queries")

    _check_stdin(qrels, run_path)
    config, extractor = _setup(**reading)
    today = reference_date or date.today()
    intents = queries and {
        query.query_id: extractor.extract(query.text, reference_date=query.reference_date or today)
        for query in read_queries(queries)
    }
    result = measured(
        read_qrels(qrels),
        read_run(run_path),
        measures or ("P@1", "nDCG@10"),
        documents=list(progress(read_corpus(corpus, config=config), label="reading")) if corpus else None,
        intents=intents or None,
        baseline=read_run(baseline) if baseline else None,
    )
    if as_json:
        means = {name: None if math.isnan(value) else value for name, value in result.means.items()}
        write_json({"measures": means, **({"per_query": result.per_query} if per_query else {})})
        return
    if per_query:
        for name, values in result.per_query.items():
            for query_id, value in values.items():
                click.echo(f"{query_id}\t{name}\t{value:.4f}")
    for name, value in result.means.items():
        click.echo(f"{'all' + chr(9) if per_query else ''}{name}\t{value:.4f}")


@main.command()
@click.argument("corpus", type=click.Path(allow_dash=True))
@_today
@_settings
@_output
def inspect(corpus: str, reference_date: date | None, config_path: str | None, as_json: bool) -> None:
    """How CORPUS is dated: share, keys, formats, suspicious values."""
    from qtie.corpus import read_records
    from qtie.inspection import CorpusTally

    tally = CorpusTally(config=_load(config_path), reference_date=reference_date or date.today())
    for where, fields in progress(read_records(corpus), label="reading"):
        try:
            tally.add(fields)
        except DocumentError as error:
            raise DocumentError(f"{where}: {error}") from error
    report = tally.report()
    write([report.to_dict()], report.__str__, as_json=as_json)


@main.command()
@click.option("-k", type=click.IntRange(min=1), default=3, show_default=True, help="How many documents to show.")
@_today
@_output
def demo(k: int, as_json: bool, reference_date: date | None) -> None:
    """Search the sample corpus that comes with the package, before and after; its own reference date is 2025-06-15."""
    from qtie.demo import run_demo

    report = run_demo(k=k, reference_date=reference_date)
    write([report.to_dict()], report.__str__, as_json=as_json)


def _load(config_path: str | None) -> Config:
    """The settings, with the names in them checked."""
    config = Config.load(config_path)
    for section, named in (("ranking", config.ranking), ("retrieval", config.retrieval)):
        for key, choices in _CHOICES.items():
            value = getattr(named, key, None)
            if value is not None and value not in choices:
                choice = f"{key} must be one of {', '.join(choices)}, not {value!r}"
                raise ConfigError(f"{config_path or 'qtie.toml'}: [{section}] {choice}")
    return config


for _group in (data, train, tie):
    main.add_command(_group)


def _write_ranking(ranking: Ranking, *, as_json: bool, explain: bool) -> None:
    if not ranking:
        say(f"no document fits: {'; '.join(ranking.notes) or 'there is none'}")
    write(ranking.to_dicts(), ranking.explain if explain else ranking.__str__, as_json=as_json)


def _setup(config_path: str | None, extractor: str | None) -> tuple[Config, Any]:
    config = _load(config_path)
    return config, make_extractor(extractor, config.intent)


def _check_stdin(*sources: str) -> None:
    if sources.count("-") > 1:
        raise ConfigError("standard input can be read once only: give - for one file")


def _reranker(options: dict[str, Any]) -> tuple[TemporalReranker, Config, dict[str, Any]]:
    """The reranker that the options and qtie.toml describe, and what is asked besides the query."""
    config, extractor = _setup(options["config_path"], options["extractor"])
    named: dict[str, Any] = {name: options[name] for name in ("temporal_weight", "fusion", "normalization", "kernel")}
    chosen = {name: value for name, value in named.items() if value is not None}
    if options["strict"]:
        chosen["mode"] = "strict"
    missing = {"missing": options["missing"]} if options["missing"] else {}
    config = replace(config, ranking=replace(config.ranking, **chosen), documents=replace(config.documents, **missing))
    asked = {"reference_date": options["reference_date"] or date.today(), "interval": options.get("interval")}
    return TemporalReranker.from_config(config, extractor=extractor), config, asked


def _searcher(corpus: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    from qtie.corpus import read_corpus
    from qtie.retrieval.encoders import load_encoder
    from qtie.retrieval.hybrid import DENSE_WEIGHT, make_retriever
    from qtie.retrieval.search import TemporalSearcher

    reranker, config, asked = _reranker(options)
    name = options["retriever"] or config.retrieval.retriever or "bm25"
    encoder = None if name == "bm25" else load_encoder(options["encoder"] or config.retrieval.encoder or "minilm")
    weight = DENSE_WEIGHT if config.retrieval.dense_weight is None else config.retrieval.dense_weight
    documents = list(progress(read_corpus(corpus, config=config), label="reading"))
    retriever = make_retriever(name, documents, encoder=encoder, dense_weight=weight)
    return TemporalSearcher(documents, retriever, reranker=reranker), asked
