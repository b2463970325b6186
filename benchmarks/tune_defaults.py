"""The sweep behind `qtie/defaults.py`: one setting moved at a time, on the sample corpus and TimeQA; chooses nothing.

TimeQA's paragraphs carry no date: their times are read from the text, and questions that ask for no time are left out.

python benchmarks/tune_defaults.py                  # BM25
python benchmarks/tune_defaults.py --encoder minilm # BM25, a dense encoder and the hybrid of both
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from dense_weight import load_timeqa
from report import REPOSITORY, parser, print_table, write_record

from qtie import defaults
from qtie.document import Document
from qtie.evaluation.datasets import Dataset, load_sample
from qtie.evaluation.measures import evaluate
from qtie.focus_time import IN_TITLE, with_focus_times
from qtie.fusion import FUSIONS
from qtie.intent import TemporalIntent
from qtie.kernels import KERNELS, Grading, Scores
from qtie.normalization import bm25, corpus, cosine, min_max, rank
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.retrieval.hybrid import make_retriever
from qtie.retrieval.retriever import Retriever
from qtie.temporal_relevance import temporal_scores
from qtie.tie.grammar import GrammarExtractor
from qtie.time_columns import TimeColumns

EMBEDDINGS = REPOSITORY / ".cache" / "embeddings"
MEASURES = ("P@1", "nDCG@10", "RR")
NORMALIZATIONS = {"bm25": bm25, "cosine": cosine, "min_max": min_max, "rank": rank, "corpus": corpus}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """All that the sweep moves; the defaults are the library's."""

    temporal_weight: float = defaults.TEMPORAL_WEIGHT
    unknown: float = defaults.UNKNOWN_SCORE
    floor: float = defaults.FLOOR_SCORE
    scale_units: float = defaults.SCALE_UNITS
    preference_days: float = defaults.PREFERENCE_DAYS
    kernel: str = "graded"
    fusion: str = "product_of_experts"
    normalization: str = "bm25"
    option: float | None = None
    """ε of bm25, τ of cosine; None is the library's."""
    prose: float = 1.0
    """What the confidence of dates in running prose is multiplied by."""


SWEEP: dict[str, tuple[Any, ...]] = {
    "temporal_weight": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    "unknown": (0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7),
    "floor": (0.0001, 0.001, 0.01, 0.05, 0.1),
    "scale_units": (0.25, 0.5, 1.0, 2.0, 5.0),
    "preference_days": (7.0, 30.0, 91.310625, 182.0, 365.2425, 1000.0),
    "kernel": tuple(KERNELS),
    "fusion": tuple(FUSIONS),
    "prose": (0.25, 0.5, 1.0, 1.5, 2.0),
}
OPTIONS = {"bm25": (0.001, 0.003, 0.01, 0.03, 0.1), "cosine": (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)}


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A data set with everything that no setting changes."""

    dataset: Dataset
    columns: Mapping[float, TimeColumns]
    """By what the confidence of dates in running prose is multiplied with."""
    intents: tuple[TemporalIntent, ...]
    semantic: Mapping[str, Scores]
    """By retriever: shape (n_queries, n_docs)."""

    @classmethod
    def of(cls, dataset: Dataset, retrievers: Mapping[str, Retriever]) -> "Bench":
        extractor = GrammarExtractor()
        intents = [extractor.extract(query.text, reference_date=query.reference_date) for query in dataset.queries]
        texts = [intent.semantic_query for intent in intents]
        return cls(
            dataset=dataset,
            columns={
                prose: TimeColumns.from_documents([_trusted(document, prose) for document in dataset.documents])
                for prose in SWEEP["prose"]
            },
            intents=tuple(intents),
            semantic={name: retriever.batch_scores(texts) for name, retriever in retrievers.items()},
        )

    def means(self, retriever: str, setting: Setting) -> dict[str, float]:
        """The measures over the temporal queries."""
        run, doc_ids = {}, [document.doc_id for document in self.dataset.documents]
        for query, intent, raw in zip(self.dataset.queries, self.intents, self.semantic[retriever], strict=True):
            if intent.is_temporal:
                order = np.lexsort((-raw, -self.fused(intent, raw, setting)))[:100]
                run[query.query_id] = {doc_ids[i]: 1 / place for place, i in enumerate(order, start=1)}
        qrels = {query_id: self.dataset.qrels[query_id] for query_id in run}
        return dict(evaluate(qrels, run, MEASURES).means)

    def fused(self, intent: TemporalIntent, raw: Scores, setting: Setting) -> Scores:
        grading = Grading(
            unknown=setting.unknown,
            floor=min(setting.floor, setting.unknown),
            scale_units=setting.scale_units,
            preference_days=setting.preference_days,
        )
        named = {"bm25": "least", "cosine": "temperature"}.get(setting.normalization)
        options = {} if setting.option is None or named is None else {named: setting.option}
        semantic = NORMALIZATIONS[setting.normalization](raw, **options)
        temporal = temporal_scores(intent, self.columns[setting.prose], kernel=setting.kernel, grading=grading)
        fused: Scores = FUSIONS[setting.fusion](semantic, temporal, temporal_weight=setting.temporal_weight)
        return fused


def _trusted(document: Document, prose: float) -> Document:
    """With the confidence of the times in its prose multiplied, up to 1."""
    if prose == 1 or not any(time.confidence < IN_TITLE for times in document.times.values() for time in times):
        return document
    times = {
        facet: tuple(
            replace(time, confidence=min(1.0, prose * time.confidence)) if time.confidence < IN_TITLE else time
            for time in found
        )
        for facet, found in document.times.items()
    }
    return replace(document, times=times)


def settings(normalization: str, moved: Sequence[str]) -> Iterator[tuple[str, Any, Setting]]:
    """Every setting of the sweep: what is moved, to which value."""
    base = Setting(normalization=normalization)
    for name in moved:
        for value in SWEEP[name]:
            yield name, value, replace(base, **{name: value})
    for value in OPTIONS.get(normalization, ()):
        yield f"{normalization} option", value, replace(base, option=value)


def sweep(
    bench: Bench, retriever: str, normalizations: Iterable[str], moved: Sequence[str] = tuple(SWEEP)
) -> list[dict[str, Any]]:
    """One row for each normalization and setting."""
    rows = []
    for normalization in normalizations:
        for name, value, setting in settings(normalization, moved):
            is_default = value == getattr(Setting(normalization=normalization), name, None)
            means = {measure: 100 * mean for measure, mean in bench.means(retriever, setting).items()}
            where = {"retriever": retriever, "normalization": normalization}
            rows.append({**where, "moved": name, "to": f"{value}{' *' if is_default else ''}", **means})
    return rows


def _rows(dataset: Dataset, encoder: Encoder | None, of_bm25: Sequence[str]) -> list[dict[str, Any]]:
    retrievers: dict[str, Retriever] = {"bm25": Bm25Retriever(dataset.documents)}
    if encoder:
        for name in ("dense", "hybrid"):
            retrievers[name] = make_retriever(name, dataset.documents, encoder=encoder, cache_folder=EMBEDDINGS)
    bench = Bench.of(dataset, retrievers)
    rows = sweep(bench, "bm25", of_bm25)
    for name in list(retrievers)[1:]:
        rows += sweep(bench, name, ("corpus", "min_max", "cosine"), ("temporal_weight", "prose"))
    return rows


def main() -> None:
    arguments_parser = parser(__doc__.splitlines()[0])
    arguments_parser.add_argument("--encoder", help="name or folder of a dense encoder to sweep as well")
    arguments = arguments_parser.parse_args()
    encoder = load_encoder(arguments.encoder) if arguments.encoder else None
    timeqa = load_timeqa(arguments.data_dir / "timeqa", arguments.seed)
    dated = replace(timeqa, documents=tuple(with_focus_times(document) for document in timeqa.documents))
    dataset = load_sample()
    rows = _rows(dataset, encoder, ("bm25", "rank"))
    timeqa_rows = _rows(dated, encoder, ("bm25",))
    print_table(
        timeqa_rows, title="TimeQA, times from text: temporal questions, one setting moved at a time (* = default)"
    )
    print_table(rows, title=f"{dataset.name}: temporal queries, one setting moved at a time (* = default)")
    sample = REPOSITORY / "qtie" / "sample"
    files = [sample / "corpus.jsonl", sample / "queries.jsonl", sample / "qrels" / "test.tsv"]
    write_record("tune_defaults", {"sample": rows, "timeqa": timeqa_rows}, arguments, data=files)


if __name__ == "__main__":
    main()
