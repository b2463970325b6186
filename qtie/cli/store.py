"""The commands of the embedded store: `qtie index`, `add`, `delete`, `stats`, `reindex`."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from qtie.cli.console import progress, say, write_json
from qtie.cli.options import config_option, json_option, load_config, make_reranker
from qtie.cli.skipped import skipping, skipping_options
from qtie.config import Config
from qtie.errors import ConfigError, QtieError

__all__ = ["add", "delete", "index", "make_store_searcher", "reindex", "stats"]


def _writing_options(command: Any) -> Any:
    for option in (json_option, config_option, skipping_options):
        command = option(command)
    return command


@click.command()
@click.argument("corpus", type=click.Path(allow_dash=True))
@click.argument("store")
@click.option("--encoder", help="Makes vectors as well: minilm, a folder, a model's name or an endpoint's URL#model.")
@_writing_options
def index(corpus: str, store: str, encoder: str | None, **options: Any) -> None:
    """Index CORPUS (JSONL, CSV, Parquet or a folder of notes) in STORE, a folder that is made, or s3://…

    Documents that are in it already are replaced, so an index that was interrupted is finished by the same command.
    """
    from qtie.retrieval.encoders import load_encoder
    from qtie.retrieval.store import Store

    config = load_config(options["config_path"])
    name = encoder or config.retrieval.encoder
    made = None if name is None else load_encoder(name)
    is_new = "://" not in store and not Path(store).exists()
    opened = Store.open_or_create(store, encoder=made, encoder_name=name or "")
    try:
        _write(opened, corpus, config, options)
    except QtieError:
        if is_new and not opened.stats().n_docs:  # nothing of it was worth keeping
            shutil.rmtree(store, ignore_errors=True)
        raise


@click.command()
@click.argument("store")
@click.argument("corpus", type=click.Path(allow_dash=True))
@_writing_options
def add(store: str, corpus: str, **options: Any) -> None:
    """Add the documents of CORPUS to STORE, in place of those of the same ids."""
    from qtie.retrieval.store import Store

    _write(Store.open(store), corpus, load_config(options["config_path"]), options)


@click.command()
@click.argument("store")
@click.argument("doc_ids", nargs=-1)
@click.option("--ids-from", type=click.Path(allow_dash=True), help="File of further ids, one a line; - for stdin.")
@json_option
def delete(store: str, doc_ids: tuple[str, ...], ids_from: str | None, as_json: bool) -> None:
    """Delete the documents DOC_IDS from STORE."""
    from qtie.corpus import read_lines
    from qtie.retrieval.store import Store

    lines = [line.strip() for _, line in read_lines(ids_from)] if ids_from else []
    wanted = [*doc_ids, *filter(None, lines)]
    if not wanted:
        raise ConfigError("name the documents to delete, or a file of them with --ids-from")
    n_deleted = Store.open(store).delete(wanted)
    if n_unknown := len(set(wanted)) - n_deleted:
        say(f"not in {store}: {n_unknown} of {len(set(wanted))} ids")
    _show({"n_deleted": n_deleted}, as_json=as_json)


@click.command()
@click.argument("store")
@json_option
def stats(store: str, as_json: bool) -> None:
    """What STORE holds: how many documents, how many with a time, which vectors."""
    from qtie.retrieval.store import Store

    _show(Store.open(store).stats().to_dict(), as_json=as_json)


@click.command()
@click.argument("store")
@click.option("--times", is_flag=True, required=True, help="Read all times again, as qtie.toml now says.")
@config_option
@json_option
def reindex(store: str, times: bool, config_path: str | None, as_json: bool) -> None:
    """Read the times in STORE again after the keys in qtie.toml have changed; vectors are kept."""
    from qtie.retrieval.store import Store

    _show({"n_docs": Store.open(store).reindex_times(config=load_config(config_path))}, as_json=as_json)


def make_store_searcher(store: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The searcher over a store that the options and qtie.toml describe, and what is asked besides the query."""
    from qtie.retrieval.encoders import load_encoder
    from qtie.retrieval.grounding import evidence_search
    from qtie.retrieval.hybrid import DENSE_WEIGHT
    from qtie.retrieval.store import Store, StoreSearcher
    from qtie.rewriting.rewriters import resolving

    reranker, config, asked = make_reranker(options)
    encoder = None if options["encoder"] is None else load_encoder(options["encoder"])
    weight = DENSE_WEIGHT if config.retrieval.dense_weight is None else config.retrieval.dense_weight
    searcher = StoreSearcher(
        Store.open(store, encoder=encoder),
        reranker=reranker,
        retriever=options["retriever"] or config.retrieval.retriever,
        dense_weight=weight,
    )
    searcher.reranker.extractor = resolving(reranker.extractor, config, search=evidence_search(searcher))
    return searcher, asked


def _write(store: Any, corpus: str, config: Config, options: dict[str, Any]) -> None:
    from qtie.corpus import read_corpus
    from qtie.text_times import with_estimated_time

    with skipping(corpus, on_error=options["on_error"], skipped=options["skipped"]) as skipped:
        documents: Iterator[Any] = read_corpus(corpus, config=config, on_error=skipped.on_error)
        if config.documents.missing == "estimate":
            documents = (with_estimated_time(document, options=config.intent) for document in documents)
        written = store.write(progress(documents, label="indexing"), config=config)
        _show({**written._asdict(), "n_skipped": skipped.n}, as_json=options["as_json"])


def _show(record: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        write_json(record)
        return
    width = max(map(len, record))
    for name, value in record.items():
        click.echo(f"{name:{width}}  {'–' if value in (None, '') else value}")
