"""The command line: a pipe. Results alone go to stdout; an error is one line on stderr and exit status 2."""

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from typing import Any, TextIO, TypeVar

import click

from qtie.config import Config
from qtie.errors import ConfigError, DocumentError, QtieError
from qtie.fusion import FUSIONS
from qtie.interval import TimeInterval
from qtie.kernels import KERNELS
from qtie.normalization import NORMALIZATIONS
from qtie.ranking import Ranking
from qtie.reranker import TemporalReranker
from qtie.tie.extractors import EXTRACTORS, make_extractor

__all__ = ["main"]

Command = TypeVar("Command", bound=Callable[..., None])
_RETRIEVER_NAMES = ("bm25", "dense", "hybrid")


class _Commands(click.Group):
    """Commands whose `QtieError`s are one line on stderr and exit status 2."""

    def invoke(self, ctx: click.Context) -> Any:
        warnings.showwarning = _show_warning
        try:
            return super().invoke(ctx)
        except QtieError as error:
            click.echo(f"qtie: {' '.join(str(error).split())}", err=True)
        except BrokenPipeError:  # the reader of our output has left
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except RecursionError:
            click.echo("qtie: input is nested too deeply", err=True)
        ctx.exit(2)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    click.echo(f"qtie: warning: {message}", err=True)


class _Day(click.ParamType[date]):
    name = "YYYY-MM-DD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        return value if isinstance(value, date) else _day(value)


class _Interval(click.ParamType[TimeInterval]):
    name = "EDTF"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> TimeInterval:
        return value if isinstance(value, TimeInterval) else TimeInterval.parse(value)


def _day(value: object, where: str = "") -> date:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise ConfigError(f"{where}reference date must be YYYY-MM-DD, not {value!r}") from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="qtie")
def main() -> None:
    """Search that knows when: reads the time a query asks for, and ranks by topic and time together."""


def _options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


_reading = _options(
    click.option("--reference-date", type=_Day(), help='The day of asking, what "last year" counts from; today.'),
    click.option("--config", "config_path", type=click.Path(), help="Settings; ./qtie.toml where there is one."),
    click.option("--extractor", type=click.Choice(list(EXTRACTORS)), help="What reads the query's time."),
)
_output = click.option("--json", "as_json", is_flag=True, help="One JSON record a line.")
_ranking = _options(
    click.option("--temporal-weight", type=float, help="w in [0, 1]: 0 keeps the semantic order."),
    click.option("--fusion", type=click.Choice(list(FUSIONS)), help="How the two scores become one."),
    click.option("--normalization", type=click.Choice(["auto", *NORMALIZATIONS]), help="What the scores are."),
    click.option("--kernel", type=click.Choice(list(KERNELS)), help="How well a time fits."),
    click.option(
        "--missing", type=click.Choice(["neutral", "penalize", "drop", "estimate"]), help="Undated documents."
    ),
    click.option("--strict", is_flag=True, help="Remove documents outside the asked time."),
    click.option("--interval", type=_Interval(), help="Days to ask for besides the query's own, such as 2019/2020."),
    click.option("--explain", is_flag=True, help="Say why each document stands where it does."),
)
_retrieval = _options(
    click.option("--retriever", type=click.Choice(_RETRIEVER_NAMES), help="How the topic is scored; bm25."),
    click.option("--encoder", help="Encoder of dense and hybrid: minilm, a folder or a model's name."),
)


@main.command()
@click.argument("query", nargs=-1, required=True)
@_reading
@_output
@click.option("--explain", is_flag=True, help="Every constraint with its words, rule and readings.")
def intent(query: Sequence[str], as_json: bool, explain: bool, reference_date: date | None, **reading: Any) -> None:
    """The time that QUERY asks for; `-` reads queries from stdin, one a line, plain or as JSON with `query`."""
    _, extractor = _setup(**reading)
    today = reference_date or date.today()
    if list(query) == ["-"]:
        for where, fields in _query_lines(sys.stdin.buffer):
            day = _day(fields["reference_date"], f"{where}: ") if fields.get("reference_date") else today
            found = extractor.extract(fields["query"], reference_date=day)
            _write_json({**fields, **found.to_dict()})
        return
    found = extractor.extract(" ".join(query), reference_date=today)
    if as_json:
        _write_json(found.to_dict())
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
@click.argument("query")
@click.argument("candidates", type=click.Path(allow_dash=True))
@click.option("-k", type=int, help="How many to return; all.")
@_reading
@_ranking
@_output
def rerank(query: str, candidates: str, k: int | None, as_json: bool, explain: bool, **options: Any) -> None:
    """Re-rank CANDIDATES (JSONL with `text`, times and an optional `score`; `-` for stdin) for QUERY."""
    from qtie.corpus import read_corpus

    reranker, config, asked = _reranker(options)
    documents = list(read_corpus(candidates, config=config))
    _write_ranking(reranker.rank(query, documents, k=k, **asked), as_json=as_json, explain=explain)


@main.command()
@click.argument("query")
@click.argument("corpus", type=click.Path(allow_dash=True))
@click.option("-k", type=int, default=10, show_default=True, help="How many documents to return.")
@_reading
@_ranking
@_retrieval
@_output
def search(query: str, corpus: str, k: int, as_json: bool, explain: bool, **options: Any) -> None:
    """Search CORPUS (JSONL, CSV, or a folder of Markdown and text files) for QUERY, by topic and time."""
    searcher, asked = _searcher(corpus, options)
    _write_ranking(searcher.search(query, k=k, **asked), as_json=as_json, explain=explain)


@main.command()
@click.argument("corpus", type=click.Path(allow_dash=True))
@click.argument("queries", type=click.Path(allow_dash=True))
@click.option("-k", type=int, default=100, show_default=True, help="How many documents a query gets.")
@click.option("--out", default="-", show_default=True, help="The run's file.")
@click.option("--tag", default="qtie", show_default=True, help="The run's name.")
@click.option("--ignore-time", is_flag=True, help="The retriever alone, as a baseline.")
@_reading
@_ranking
@_retrieval
def run(corpus: str, queries: str, k: int, out: str, tag: str, ignore_time: bool, **options: Any) -> None:
    """A TREC run of QUERIES (`_id`, `text`) over CORPUS, both as in a BEIR folder."""
    from qtie.evaluation.datasets import read_queries
    from qtie.evaluation.trec import write_run
    from qtie.intent import TemporalIntent

    options.pop("explain")
    asked = list(read_queries(queries))
    searcher, given = _searcher(corpus, options)
    if given["interval"] is not None:
        raise ConfigError("--interval goes with search and rerank, not with run")
    days = {query.query_id: query.reference_date or given["reference_date"] for query in asked}
    plain = {query.query_id: TemporalIntent(query=query.text) for query in asked} if ignore_time else None
    texts = {query.query_id: query.text for query in asked}
    ranked = searcher.run(texts, k=k, reference_dates=days, intents=plain)
    write_run(dict(_progress(ranked, total=len(asked), label="searching")), out, tag=tag)


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

    config, extractor = _setup(**reading)
    intents = queries and {
        query.query_id: extractor.extract(query.text, reference_date=query.reference_date or reference_date)
        for query in read_queries(queries)
    }
    result = measured(
        read_qrels(qrels),
        read_run(run_path),
        measures or ("P@1", "nDCG@10"),
        documents=list(read_corpus(corpus, config=config)) if corpus else None,
        intents=intents or None,
        baseline=read_run(baseline) if baseline else None,
    )
    if as_json:
        _write_json({"measures": result.means, **({"per_query": result.per_query} if per_query else {})})
        return
    if per_query:
        for name, values in result.per_query.items():
            for query_id, value in values.items():
                click.echo(f"{query_id}\t{name}\t{value:.4f}")
    for name, value in result.means.items():
        click.echo(f"{'all' + chr(9) if per_query else ''}{name}\t{value:.4f}")


@main.command()
@click.argument("corpus", type=click.Path(allow_dash=True))
@click.option("--reference-date", type=_Day(), help="Later dates are reported as future ones; today.")
@click.option("--config", "config_path", type=click.Path(), help="Settings; ./qtie.toml where there is one.")
@_output
def inspect(corpus: str, reference_date: date | None, config_path: str | None, as_json: bool) -> None:
    """How CORPUS is dated: share, keys, formats, suspicious values."""
    from qtie.corpus import read_records
    from qtie.inspection import inspect_corpus

    records = (record.fields for record in read_records(corpus))
    report = inspect_corpus(records, config=Config.load(config_path), reference_date=reference_date or date.today())
    if as_json:
        _write_json(report.to_dict())
    else:
        click.echo(str(report))


@main.command()
@click.option("-k", type=int, default=3, show_default=True, help="How many documents to show a query.")
@_output
def demo(k: int, as_json: bool) -> None:
    """Search the sample corpus that comes with the package, before and after."""
    from qtie.demo import run_demo

    report = run_demo(k=k)
    if as_json:
        _write_json(report.to_dict())
    else:
        click.echo(str(report))


def _setup(config_path: str | None, extractor: str | None) -> tuple[Config, Any]:
    config = Config.load(config_path)
    return config, make_extractor(extractor, config.intent)


def _reranker(options: dict[str, Any]) -> tuple[TemporalReranker, Config, dict[str, Any]]:
    """The reranker that the options and qtie.toml describe, and what is asked besides the query."""
    config, extractor = _setup(options["config_path"], options["extractor"])
    named: dict[str, Any] = {name: options[name] for name in ("temporal_weight", "fusion", "normalization", "kernel")}
    chosen = {name: value for name, value in named.items() if value is not None}
    if options["strict"]:
        chosen["mode"] = "strict"
    missing = {"missing": options["missing"]} if options["missing"] else {}
    config = replace(config, ranking=replace(config.ranking, **chosen), documents=replace(config.documents, **missing))
    asked = {"reference_date": options["reference_date"] or date.today(), "interval": options["interval"]}
    return TemporalReranker.from_config(config, extractor=extractor), config, asked


def _searcher(corpus: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    from qtie.corpus import read_corpus
    from qtie.retrieval.encoders import load_encoder
    from qtie.retrieval.hybrid import DENSE_WEIGHT, make_retriever
    from qtie.retrieval.search import TemporalSearcher

    reranker, config, asked = _reranker(options)
    documents = list(_progress(read_corpus(corpus, config=config), label="reading"))
    name = options["retriever"] or config.retrieval.retriever or "bm25"
    encoder = None if name == "bm25" else load_encoder(options["encoder"] or config.retrieval.encoder or "minilm")
    weight = config.retrieval.dense_weight
    retriever = make_retriever(
        name, documents, encoder=encoder, dense_weight=DENSE_WEIGHT if weight is None else weight
    )
    return TemporalSearcher(documents, retriever, reranker=reranker), asked


def _query_lines(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The queries of stdin with where each stands; blank lines are passed over."""
    for number, raw in enumerate(lines, start=1):
        where = f"stdin, line {number}"
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
        except UnicodeDecodeError as error:
            raise DocumentError(f"{where}: not UTF-8: {error.reason}") from None
        if not text.strip():
            continue
        yield where, _query_record(text, where)


def _query_record(text: str, where: str) -> dict[str, Any]:
    if not text.lstrip().startswith("{"):
        return {"query": text.strip()}
    try:
        record = json.loads(text)
    except ValueError as error:
        raise DocumentError(f"{where}: broken JSON: {error}") from None
    if not isinstance(record, Mapping) or not isinstance(record.get("query"), str):
        raise DocumentError(f"{where}: field 'query': expected a text")
    return dict(record)


def _write_json(record: Mapping[str, Any], stream: TextIO | None = None) -> None:
    click.echo(json.dumps(record, ensure_ascii=False), file=stream)


def _write_ranking(ranking: Ranking, *, as_json: bool, explain: bool) -> None:
    if as_json:
        for record in ranking.to_dicts():
            _write_json(record)
    else:
        click.echo(ranking.explain() if explain else str(ranking))


Item = TypeVar("Item")


def _progress(items: Iterable[Item], *, label: str, total: int | None = None) -> Iterator[Item]:
    """The items, with a progress bar on stderr where that is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    bar = click.progressbar(items, length=total, label=label, file=sys.stderr) if total else nullcontext(items)
    with bar as shown:
        yield from shown
