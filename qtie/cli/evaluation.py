"""The commands that measure: `qtie evaluate`, `inspect`, `demo`."""

import math
from collections.abc import Sequence
from datetime import date
from typing import Any

import click

from qtie.cli.console import parsed, progress, write, write_json
from qtie.cli.options import (
    check_stdin,
    config_option,
    date_of,
    json_option,
    load_config,
    make_reader,
    reading_options,
    reference_date_option,
)
from qtie.errors import ConfigError, DocumentError

__all__ = ["demo", "evaluate", "inspect"]


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("run_path", metavar="RUN", type=click.Path(allow_dash=True))
@click.argument("measures", metavar="MEASURE...", nargs=-1)
@click.option("--corpus", type=click.Path(), help="The documents, for violation@k.")
@click.option("--queries", type=click.Path(), help="The queries, for violation@k and harm.")
@click.option("--baseline", type=click.Path(), help="The run that harm is measured against.")
@click.option("--per-query", is_flag=True, help="One line a query and measure.")
@reading_options
@json_option
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

    check_stdin(qrels, run_path)
    config, extractor = make_reader(**reading)
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


@click.command()
@click.argument("corpus", type=click.Path(allow_dash=True))
@reference_date_option
@config_option
@json_option
def inspect(corpus: str, reference_date: date | None, config_path: str | None, as_json: bool) -> None:
    """How CORPUS is dated: share, keys, formats, suspicious values."""
    from qtie.corpus import read_records
    from qtie.inspection import CorpusTally

    tally = CorpusTally(config=load_config(config_path), reference_date=reference_date or date.today())
    for where, fields in progress(read_records(corpus), label="reading"):
        try:
            tally.add(fields)
        except DocumentError as error:
            raise DocumentError(f"{where}: {error}") from error
    report = tally.report()
    write([report.to_dict()], report.__str__, as_json=as_json)


@click.command()
@click.option("-k", type=click.IntRange(min=1), default=3, show_default=True, help="How many documents to show.")
@click.option(
    "--reference-date", callback=parsed(date_of), help="The day of asking, YYYY-MM-DD.  [default: each query's own]"
)
@json_option
def demo(k: int, as_json: bool, reference_date: date | None) -> None:
    """Search the sample corpus that comes with the package, before and after."""
    from qtie.demo import run_demo

    report = run_demo(k=k, reference_date=reference_date)
    write([report.to_dict()], report.__str__, as_json=as_json)
