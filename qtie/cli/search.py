"""The commands that read queries and rank documents: `qtie intent`, `rerank`, `search`, `run`."""

from datetime import date
from itertools import islice
from typing import Any

import click

from qtie.cli.console import parsed, progress, say, write, write_json
from qtie.cli.options import (
    check_stdin,
    json_option,
    make_reader,
    make_reranker,
    make_searcher,
    query_argument,
    ranking_options,
    reading_options,
    retrieval_options,
    scoring_options,
    words_of,
)
from qtie.cli.skipped import Skipped, skipping, skipping_options
from qtie.cli.store import make_store_searcher
from qtie.errors import ConfigError, DocumentError
from qtie.intent import IntentExtractor, TemporalIntent
from qtie.ranking import Ranking
from qtie.retrieval.search import NO_MATCH
from qtie.rewriting.extractor import EventResolvingExtractor
from qtie.rewriting.rewriter import Rewrite
from qtie.tie.extractors import explanation, extract_all
from qtie.tie.llm_extractor import LlmExtractor

__all__ = ["intent", "rerank", "run", "search"]


@click.command()
@click.argument("query", nargs=-1, required=True, callback=parsed(words_of))
@reading_options
@skipping_options
@json_option
@click.option("--explain", is_flag=True, help="Every constraint, who decided, tags and program.")
def intent(
    query: str, as_json: bool, explain: bool, reference_date: date | None, on_error: str, skipped: str | None,
    **reading: Any,
) -> None:  # fmt: skip
    """The time that QUERY asks for; `-` reads queries from stdin, one a line, plain or as JSON with `query`."""
    config, extractor = make_reader(**reading)
    today = reference_date or date.today()
    if query == "-":
        with skipping("-", on_error=on_error, skipped=skipped) as faulty:
            _intents_of_lines(extractor, today, faulty, n=config.llm.concurrency if _asks_a_model(extractor) else 1)
        return
    [(found, rewrite)] = _read(extractor, [query], [today])
    if as_json:
        write_json(_intent_record(found, rewrite))
        return
    click.echo(found.highlight(click.style("[", fg="green"), click.style("]", fg="green")))
    for line in rewrite.lines() if rewrite else ():
        click.echo(line)
    click.echo(found.explain())
    if found.is_temporal:
        click.echo(f"asks: {' or '.join(map(str, found.intervals)) or 'any time'}")
        click.echo(f"semantic query: {found.semantic_query}")
    if explain:
        for line in explanation(*_plain(extractor, found, rewrite)):
            click.echo(f"  {line}")


def _intents_of_lines(extractor: IntentExtractor, today: date, faulty: Skipped, *, n: int) -> None:
    """The intents of the queries on stdin as JSON lines, n of them read at a time."""
    from qtie.evaluation.datasets import read_query_lines

    lines = ((fields, day or today) for fields, day in read_query_lines("-", on_error=faulty.on_error))
    while block := list(islice(lines, n)):
        read = _read(extractor, [fields["query"] for fields, _ in block], [day for _, day in block])
        for (fields, _), (found, rewrite) in zip(block, read, strict=True):
            write_json({**fields, **_intent_record(found, rewrite)})


def _asks_a_model(extractor: IntentExtractor) -> bool:
    """Whether a language model reads the queries, whose answers come together."""
    plain = extractor.extractor if isinstance(extractor, EventResolvingExtractor) else extractor
    return isinstance(plain, LlmExtractor)


def _read(
    extractor: IntentExtractor, queries: list[str], days: list[date]
) -> list[tuple[TemporalIntent, Rewrite | None]]:
    """The intents of the queries, each with what became of its events, where they are resolved."""
    if isinstance(extractor, EventResolvingExtractor):
        return [*extractor.resolve_batch(queries, reference_dates=days)]
    return [(found, None) for found in extract_all(extractor, queries, reference_dates=days)]


def _intent_record(found: TemporalIntent, rewrite: Rewrite | None) -> dict[str, Any]:
    """The intent's record; with `events`, `candidates`, `rewritten` and `reason` where events are resolved."""
    record = found.to_dict()
    if rewrite:
        record |= {name: value for name, value in rewrite.to_dict().items() if name != "question"}
    return record


def _plain(
    extractor: IntentExtractor, found: TemporalIntent, rewrite: Rewrite | None
) -> tuple[IntentExtractor, TemporalIntent]:
    """What explains a reading: the extractor without its rewriter, and its own intent of the rewritten query."""
    if rewrite is None or not isinstance(extractor, EventResolvingExtractor):
        return extractor, found
    plain = extractor.extractor
    return plain, plain.extract(rewrite.rewritten, reference_date=found.reference_date)


@click.command()
@query_argument
@click.argument("candidates", type=click.Path(allow_dash=True))
@click.option("-k", type=click.IntRange(min=1), help="How many to return.  [default: all]")
@reading_options
@ranking_options
@json_option
def rerank(query: str, candidates: str, k: int | None, as_json: bool, explain: bool, **options: Any) -> None:
    """Re-rank CANDIDATES (JSONL with `text`, times and an optional `score`; `-` for stdin) for QUERY."""
    from qtie.corpus import read_corpus

    reranker, config, asked = make_reranker(options)
    documents = list(progress(read_corpus(candidates, config=config), label="reading"))
    without = [document.doc_id for document in documents if document.score is None]
    if without and len(without) < len(documents):
        raise DocumentError(f"{candidates}: document {without[0]!r}: field 'score': missing, while others have one")
    ranking = reranker.rank(query, documents, k=k, **asked)
    _write_ranking(ranking, as_json=as_json, explain=explain)


@click.command()
@query_argument
@click.argument("corpus", type=click.Path(allow_dash=True), required=False)
@click.option("--store", help="Search what qtie index made, in place of CORPUS.")
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many documents to return.")
@reading_options
@ranking_options
@retrieval_options
@json_option
def search(
    query: str, corpus: str | None, store: str | None, k: int, as_json: bool, explain: bool, **options: Any
) -> None:
    """Search CORPUS (JSONL, CSV, Parquet, or a folder of Markdown and text files) for QUERY, by topic and time."""
    if store is not None and corpus is None:
        searcher, asked = make_store_searcher(store, options)
    elif corpus is not None and store is None:
        searcher, asked = make_searcher(corpus, options)
    else:
        raise ConfigError("name what to search: CORPUS or --store, and not both")
    ranking = searcher.search(query, k=k, **asked)
    _write_ranking(ranking, as_json=as_json, explain=explain)


@click.command()
@click.argument("corpus", type=click.Path(allow_dash=True))
@click.argument("queries", type=click.Path(allow_dash=True))
@click.option("-k", type=click.IntRange(min=1), default=100, show_default=True, help="How many documents a query gets.")
@click.option("--out", default="-", show_default=True, help="The run's file.")
@click.option("--tag", default="qtie", show_default=True, callback=parsed(words_of), help="The run's name.")
@click.option("--ignore-time", is_flag=True, help="The retriever alone, as a baseline.")
@reading_options
@scoring_options
@retrieval_options
@json_option
def run(
    corpus: str, queries: str, k: int, out: str, tag: str, ignore_time: bool, as_json: bool, **options: Any
) -> None:
    """A TREC run of QUERIES (`_id`, `text`) over CORPUS, both as in a BEIR folder."""
    from qtie.evaluation.datasets import read_queries
    from qtie.evaluation.trec import check_ids, check_writable, write_run

    check_stdin(corpus, queries)
    if as_json and out != "-":
        raise ConfigError("--json writes to stdout, --out a TREC run: give one of them")
    check_writable(out)
    check_ids([tag], "tag")
    asked = list(read_queries(queries))
    check_ids([query.query_id for query in asked], f"{queries}: _id")
    searcher, given = make_searcher(corpus, options)
    check_ids([document.doc_id for document in searcher.documents], f"{corpus}: _id")
    days = {query.query_id: query.reference_date or given["reference_date"] for query in asked}
    texts = {query.query_id: query.text for query in asked}
    intents = {query_id: TemporalIntent(query=text) for query_id, text in texts.items()} if ignore_time else None
    if intents is None and _asks_a_model(searcher.reranker.extractor):  # its answers come together
        extractor = searcher.reranker.extractor
        read = extract_all(extractor, list(texts.values()), reference_dates=[days[query_id] for query_id in texts])
        intents = dict(zip(texts, read, strict=True))
    ranked = searcher.run(texts, k=k, reference_dates=days, intents=intents)
    found = dict(progress(ranked, total=len(asked), label="searching"))
    if not as_json:
        write_run(found, out, tag=tag)
        return
    for query_id, scores in found.items():
        for rank, (doc_id, score) in enumerate(scores.items(), start=1):
            write_json({"query_id": query_id, "rank": rank, "doc_id": doc_id, "score": score})


def _write_ranking(ranking: Ranking, *, as_json: bool, explain: bool) -> None:
    if not ranking:
        say(f"no document fits: {'; '.join(ranking.notes) or 'there is none'}")
    elif ranking.notes and ranking.notes[0].startswith(NO_MATCH):
        say(f"warning: {ranking.notes[0]}")
    write(ranking.to_dicts(explain=explain), ranking.explain if explain else ranking.__str__, as_json=as_json)
