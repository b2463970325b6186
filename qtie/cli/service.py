"""The commands that keep running: `qtie serve`, `qtie mcp`."""

from datetime import date
from typing import Any

import click

from qtie.cli.console import say
from qtie.cli.options import (
    extractor_options,
    make_reranker,
    make_searcher,
    retrieval_options,
    scoring_options,
)
from qtie.cli.store import make_store_searcher
from qtie.errors import ConfigError

__all__ = ["mcp", "serve"]

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_ADDRESS = (
    click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 answers other machines too."),
    click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one."),
    click.option("--token", envvar="QTIE_TOKEN", show_envvar=True, help="What clients must send as a bearer token."),
)


def _address_options(command: Any) -> Any:
    for option in reversed(_ADDRESS):
        command = option(command)
    return command


@click.command()
@click.argument("corpus", required=False, type=click.Path())
@click.option("--store", type=click.Path(), help="Search a store in place of CORPUS.")
@_address_options
@click.option("--upstream", help="Address of the re-ranker whose scores are taken for the topic.")
@click.option("--upstream-dialect", type=click.Choice(["cohere", "tei"]), default="cohere", show_default=True)
@click.option("--upstream-model", help="What it is asked for.")
@click.option("--upstream-token", envvar="QTIE_UPSTREAM_TOKEN", show_envvar=True, help="Its bearer token.")
@click.option("--shadow", is_flag=True, help="Leave every order as it is, and count what would have moved.")
@click.option("--max-documents", type=click.IntRange(1), default=1000, show_default=True, help="Of one request.")
@click.option("--max-body-mb", type=click.FloatRange(0, min_open=True), default=10, show_default=True)
@click.option("--timeout", "timeout_seconds", type=click.FloatRange(0, min_open=True), default=30, show_default=True)
@click.option("--threads", "n_threads", type=click.IntRange(1), default=2, show_default=True)
@extractor_options
@scoring_options
@retrieval_options
def serve(
    corpus: str | None, store: str | None, host: str, port: int, token: str | None, shadow: bool, max_documents: int,
    max_body_mb: float, timeout_seconds: float, n_threads: int, **options: Any,
) -> None:  # fmt: skip
    """Answer over HTTP as Cohere, Jina, vLLM and TEI do, and search CORPUS or a store; the page is at /."""
    from qtie.service.options import Limits, ServiceOptions

    limits = Limits(
        max_documents=max_documents, max_body_bytes=round(max_body_mb * 1e6), timeout_seconds=timeout_seconds
    )
    service = ServiceOptions(
        token=token or None, shadow=shadow, upstream=_upstream(options), n_threads=n_threads, limits=limits
    )
    from qtie.service.app import create_app

    _listen(create_app(_engine(corpus, store, options), service), host, port, service)


def _listen(app: Any, host: str, port: int, service: Any, *, path: str = "") -> None:
    """Answer until a signal comes."""
    from qtie.service.server import bind, log_to_stderr, serve

    with bind(host, port) as listening:
        if host not in _LOOPBACK and not service.token:
            say(f"warning: {host} can be reached by others, and no --token is asked for")
        shown = f"[{host}]" if ":" in host else host
        say(f"listening on http://{shown}:{listening.getsockname()[1]}{path}")
        log_to_stderr()
        serve(app, listening, limits=service.limits)


def _upstream(options: dict[str, Any]) -> Any:
    from qtie.service.options import Upstream

    url, dialect, model, token = (options.pop(f"upstream{rest}") for rest in ("", "_dialect", "_model", "_token"))
    return url and Upstream(url=url, dialect=dialect, model=model, token=token or None)


def _engine(corpus: str | None, store: str | None, options: dict[str, Any]) -> Any:
    """What ranks, with what it searches: the store, the corpus, or else the sample."""
    from qtie.service.engine import Engine, Source, sample_source

    options = {**options, "reference_date": None}
    if corpus and store:
        raise ConfigError("give CORPUS or --store, not both")
    reranker, _, _ = make_reranker(options)
    if not (corpus or store):
        return Engine(reranker, source=sample_source(reranker), today=date.today)
    if store:
        searcher, _ = make_store_searcher(store, options)
        source = Source("store", store, searcher.store.stats().n_docs, searcher)
    else:
        searcher, _ = make_searcher(str(corpus), options)
        source = Source("corpus", str(corpus), len(searcher.documents), searcher)
    searcher.reranker.extractor = reranker.extractor  # one model in memory, not two
    return Engine(reranker, source=source, today=date.today)


@click.command()
@click.argument("corpus", required=False, type=click.Path())
@click.option("--store", type=click.Path(), help="Search a store in place of CORPUS.")
@click.option("--http", is_flag=True, help="Streamable HTTP at /mcp in place of stdin and stdout.")
@_address_options
@extractor_options
@scoring_options
@retrieval_options
def mcp(
    corpus: str | None, store: str | None, http: bool, host: str, port: int, token: str | None, **options: Any
) -> None:
    """Give language models three tools: extract_intent, rerank, and search in CORPUS or a store."""
    from qtie.service.mcp import make_server

    server = make_server(_engine(corpus, store, options))
    if not http:
        server.run()
        return
    from qtie.service.guard import Guard
    from qtie.service.metrics import Metrics
    from qtie.service.options import ServiceOptions

    service = ServiceOptions(token=token or None)
    app = server.streamable_http_app(host=host)
    _listen(Guard(app, options=service, metrics=Metrics()), host, port, service, path="/mcp")
