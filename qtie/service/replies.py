"""Replies: a ranking in the dialects of Cohere, Jina, vLLM and TEI, with the reasons beside it."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.ranking import RankedDocument, Ranking
from qtie.service.engine import Engine
from qtie.service.options import ServiceOptions
from qtie.service.requests import HowToRank, RerankRequest, TextsRequest

__all__ = ["info_reply", "intent_reply", "rerank_reply", "search_reply", "texts_reply"]

MODEL = "qtie"
_SHOWN_CHARS = 2_000
_TIMELINE_ROWS = 100


def intent_reply(intent: TemporalIntent) -> dict[str, Any]:
    """The record of `qtie intent`, the characters and words that state the time, and an explanation for people."""
    return {
        **intent.to_dict(),
        "is_temporal": intent.is_temporal,
        "spans": [list(span) for span in intent.spans],
        "cues": [intent.query[start:end] for start, end in intent.spans],
        "explanation": intent.explain(),
    }


def rerank_reply(
    request: RerankRequest, ranking: Ranking, *, request_id: str, api_version: str, warnings: Sequence[str] = ()
) -> dict[str, Any]:
    """`{id, model, results, meta}`; `index` is a document's position in the request."""
    results = []
    for ranked in ranking[: request.top_n]:
        index = int(ranked.doc_id)
        result: dict[str, Any] = {"index": index, "relevance_score": ranked.score, "temporal": _temporal(ranked)}
        if request.return_documents:
            result["document"] = {"text": ranked.document.text}
        results.append(result)
    meta = {"api_version": {"version": api_version}, **_meta(request, ranking, warnings)}
    return {"id": request_id, "model": request.model or MODEL, "results": results, "meta": meta}


def texts_reply(request: TextsRequest, ranking: Ranking) -> list[dict[str, Any]]:
    """`[{index, score}]`, as text-embeddings-inference answers."""
    return [
        {"index": int(ranked.doc_id), "score": ranked.score}
        | ({"text": ranked.document.text} if request.return_text else {})
        for ranked in ranking
    ]


def search_reply(request: HowToRank, ranking: Ranking, *, request_id: str) -> dict[str, Any]:
    """`{id, results, meta}`; long texts are cut."""
    results = [
        {
            "doc_id": ranked.doc_id,
            "score": ranked.score,
            "title": ranked.document.title,
            "text": ranked.document.text[:_SHOWN_CHARS],
            "temporal": _temporal(ranked),
        }
        for ranked in ranking
    ]
    return {"id": request_id, "results": results, "meta": _meta(request, ranking)}


def _temporal(ranked: RankedDocument) -> dict[str, Any]:
    """Why a document stands where it does."""
    return {
        "time": None if ranked.time is None else _edtf(ranked.time),
        "relation": str(ranked.relation),
        "semantic_score": ranked.semantic_score,
        "temporal_score": ranked.temporal_score,
        "rank": ranked.rank,
        "rank_before": ranked.rank_before,
    }


@lru_cache(maxsize=20_000)
def _edtf(time: TimeInterval) -> str:
    """The time as text; the days of one service's documents recur."""
    return str(time)


def _meta(request: HowToRank, ranking: Ranking, warnings: Sequence[str] = ()) -> dict[str, Any]:
    meta = {
        "intent": intent_reply(ranking.intent),
        "method": ranking.method,
        "notes": list(ranking.notes),
        "warnings": list(warnings),
    }
    if request.explain:
        meta["explanation"] = ranking.explain()
        meta["timeline"] = ranking.timeline(k=_TIMELINE_ROWS)
    return meta


def info_reply(engine: Engine, options: ServiceOptions) -> dict[str, Any]:
    """What runs here: the documents that are searched, what rankings do by default, and the limits."""
    source, reranker = engine.source, engine.reranker
    day = engine.today() if source is None or source.reference_date is None else source.reference_date
    return {
        "version": version("qtie"),
        "corpus": source and {"kind": source.kind, "name": source.name, "n_documents": source.n_documents},
        "examples": list(source.examples) if source else [],
        "reference_date": day.isoformat(),
        "temporal_weight": reranker.temporal_weight,
        "mode": reranker.mode,
        "missing": reranker.missing,
        "fusion": reranker.fusion,
        "kernel": reranker.kernel,
        "shadow": options.shadow,
        "proxy": options.upstream is not None,
        "limits": asdict(options.limits),
    }
