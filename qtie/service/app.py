"""The HTTP face: routes, and what runs between the event loop and the threads that rank."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from importlib.metadata import version
from typing import Any, TypeVar

from qtie.errors import ServiceError, require

require("fastapi", extra="serve")

from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse

from qtie.ranking import Ranking
from qtie.service.candidates import texts_of
from qtie.service.engine import Engine
from qtie.service.errors import HANDLERS, json_response
from qtie.service.guard import Guard
from qtie.service.metrics import Metrics, intent_kind
from qtie.service.openapi import METRICS, request_body, responses
from qtie.service.options import ServiceOptions
from qtie.service.page import is_page, mount_page
from qtie.service.replies import (
    info_reply,
    intent_reply,
    rerank_reply,
    search_reply,
    texts_reply,
)
from qtie.service.requests import IntentRequest, RerankRequest, SearchRequest, TextsRequest, checked, json_of, parse
from qtie.service.upstream import UpstreamClient

__all__ = ["Service", "create_app"]

Result = TypeVar("Result")
_OPEN_PATHS = ("/health", "/ready")
DEFAULT = ServiceOptions()


class Service:
    """What the routes share: the engine, its threads, the metrics, and the upstream re-ranker if there is one."""

    def __init__(self, engine: Engine, options: ServiceOptions) -> None:
        self.engine, self.options, self.metrics = engine, options, Metrics()
        self.upstream: UpstreamClient | None = None
        self.ready = False
        self._threads: ThreadPoolExecutor | None = None

    @asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        """From the first request to the last; the threads and connections are there only within."""
        self._threads = ThreadPoolExecutor(self.options.n_threads, thread_name_prefix="qtie")
        self.upstream = None if self.options.upstream is None else UpstreamClient(self.options.upstream)
        with suppress(ServiceError):  # an endpoint that reads queries may come later
            await self.run(self.engine.warm_up)
        self.ready = True
        yield
        self.ready = False
        if self.upstream is not None:
            await self.upstream.aclose()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def run(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """The work, done by a thread, within the time limit."""
        seconds = self.options.limits.timeout_seconds
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                return await loop.run_in_executor(self._threads, copy_context().run, work, *arguments)
        except TimeoutError:
            said = f"no answer within {seconds:g} s: send fewer or shorter documents"
            raise ServiceError(said, status=408) from None

    async def rerank(self, request: Request, api_version: str) -> Response:
        """Documents or texts, in their new order."""
        state, body = request.state, await request.body()
        if self.upstream is None:
            return await self.run(lambda: self._reranked(self._parsed(body), None, state, api_version))
        parsed = await self.run(self._parsed, body)
        model = parsed.model if isinstance(parsed, RerankRequest) else None
        scores = await self.upstream.scores(parsed.query, texts_of(parsed), model=model)
        return await self.run(self._reranked, parsed, scores, state, api_version)

    def search(self, body: bytes, state: Any) -> Response:
        """The best of the service's own documents."""
        parsed = parse(SearchRequest, body, self.options.limits)
        ranking = self._counted(self.engine.search(parsed), state)
        if self.options.shadow:
            ranking = self.engine.search(parsed.model_copy(update={"ignore_time": True}))
        return json_response(search_reply(parsed, ranking, request_id=state.request_id))

    def intent(self, body: bytes, state: Any) -> Response:
        """What time a query asks for."""
        intent = self.engine.intent(parse(IntentRequest, body, self.options.limits))
        state.log["kind"] = intent_kind(intent)
        return json_response(intent_reply(intent))

    def _parsed(self, body: bytes) -> RerankRequest | TextsRequest:
        fields = json_of(body)
        if isinstance(fields, dict) and "texts" in fields:
            return checked(TextsRequest, fields, self.options.limits)
        return checked(RerankRequest, fields, self.options.limits)

    def _reranked(
        self, parsed: RerankRequest | TextsRequest, scores: list[float] | None, state: Any, api_version: str
    ) -> Response:
        ranking, warnings = self.engine.rerank(parsed, scores=scores)
        self._counted(ranking, state)
        if self.options.shadow:
            untimed = parsed.model_copy(update={"ignore_time": True})
            ranking, warnings = self.engine.rerank(untimed, scores=scores)
        if isinstance(parsed, TextsRequest):
            return json_response(texts_reply(parsed, ranking))
        reply = rerank_reply(parsed, ranking, request_id=state.request_id, api_version=api_version, warnings=warnings)
        return json_response(reply)

    def _counted(self, ranking: Ranking, state: Any) -> Ranking:
        self.metrics.ranked(ranking)
        state.log.update(kind=intent_kind(ranking.intent), n_documents=len(ranking))
        return ranking


def create_app(engine: Engine, options: ServiceOptions = DEFAULT) -> FastAPI:
    """The application, as any ASGI server runs it.

    Args:
        engine: what ranks.
        options: who may ask, how much, and what stands behind.
    """
    service = Service(engine, options)
    app = FastAPI(
        title="qtie", version=version("qtie"), summary="Re-ranks documents by topic and time.",
        lifespan=service.lifespan, docs_url=None, redoc_url=None, exception_handlers=HANDLERS,
    )  # fmt: skip
    _add_ranking(app, service)
    _add_watching(app, service)
    mount_page(app)
    app.add_middleware(
        Guard, options=options, metrics=service.metrics, is_public=lambda path: path in _OPEN_PATHS or is_page(path)
    )
    return app


def _add_ranking(app: FastAPI, service: Service) -> None:
    """The routes that rank and read."""
    documents, answers = request_body(RerankRequest), responses("rerank")

    @app.post(
        "/rerank", openapi_extra=request_body(RerankRequest, TextsRequest), responses=responses("rerank or texts")
    )
    async def rerank(request: Request) -> Response:
        """Documents in the order of their topic and time; with `texts`, as text-embeddings-inference answers."""
        return await service.rerank(request, "2")

    @app.post("/v1/rerank", openapi_extra=documents, responses=answers)
    async def rerank_v1(request: Request) -> Response:
        """As Cohere's first version, Jina and vLLM have it."""
        return await service.rerank(request, "1")

    @app.post("/v2/rerank", openapi_extra=documents, responses=answers)
    async def rerank_v2(request: Request) -> Response:
        """As Cohere's second version has it."""
        return await service.rerank(request, "2")

    @app.post("/search", openapi_extra=request_body(SearchRequest), responses=responses("search"))
    async def search(request: Request) -> Response:
        """The best of the service's own documents."""
        return await service.run(service.search, await request.body(), request.state)

    @app.post("/intent", openapi_extra=request_body(IntentRequest), responses=responses("intent"))
    async def intent(request: Request) -> Response:
        """What time a query asks for."""
        return await service.run(service.intent, await request.body(), request.state)


def _add_watching(app: FastAPI, service: Service) -> None:
    """The routes for those who run the service."""

    @app.get("/health", responses=responses("object", errors=False))
    async def health() -> Response:
        """Whether the process lives."""
        return json_response({"status": "ok"})

    @app.get("/ready", responses=responses("object", errors=False))
    async def ready() -> Response:
        """Whether it answers: models are loaded, and it is not shutting down."""
        return json_response({"ready": service.ready}, status=200 if service.ready else 503)

    @app.get("/metrics", response_class=PlainTextResponse, responses=METRICS)
    async def metrics() -> Response:
        """Numbers for Prometheus."""
        return Response(service.metrics.text(), media_type="text/plain; version=0.0.4")

    @app.get("/info", responses=responses("object", errors=False))
    async def info() -> Response:
        """What runs here: documents, defaults and limits."""
        return json_response(info_reply(service.engine, service.options))
