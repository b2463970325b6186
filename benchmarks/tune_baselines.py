"""The numbers that baselines' papers leave open, swept on the sample corpus and TimeQA as our own defaults were.

BM25 retrieves, and only questions that ask for a time count. TimeQA's paragraphs carry no date: their times are read
from the text. The defaults in `qtie/baselines` are the best mean nDCG@10 of both, but
for recency, which would do best without any decay.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dense_weight import load_timeqa
from report import REPOSITORY, parser, print_table, write_record

from qtie.baselines.ranker import Pool, Question
from qtie.baselines.registry import make_ranker
from qtie.evaluation.datasets import Dataset, load_sample
from qtie.evaluation.measures import evaluate
from qtie.focus_time import with_focus_times
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.retriever import Scores
from qtie.tie.grammar import GrammarExtractor

WEIGHTS = tuple(round(0.1 * tenths, 1) for tenths in range(1, 10))
LEAST_DAYS = (1.0, 30.0, 91.0, 182.0, 365.0, 730.0, 1826.0, 3652.0)
HALF_LIVES = (365.0, 1826.0, 3652.0, 7305.0, 18262.0, 36524.0, 365242.0)
SWEEP: dict[str, tuple[str, tuple[float, ...]]] = {
    "tempralm": ("least_days", LEAST_DAYS),
    "tempralm+intent": ("least_days", LEAST_DAYS),
    "recency": ("half_life_days", HALF_LIVES),
    **dict.fromkeys(("qtie", "sum", "rrf", "berberich", "temps"), ("temporal_weight", WEIGHTS)),
    **dict.fromkeys(("none", "filter", "mrag", "mrag+intent", "timer4-2024", "timer4-2024+intent"), ("", ())),
    **dict.fromkeys(("timer4-2025", "timer4-2025+intent"), ("", ())),
}
MEASURES = ("nDCG@10", "P@1", "RR")


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A data set with everything that no setting changes."""

    dataset: Dataset
    pool: Pool
    questions: Mapping[str, Question]
    semantic: Mapping[str, Scores]
    """By text."""

    @classmethod
    def of(cls, dataset: Dataset) -> "Bench":
        extractor, retriever = GrammarExtractor(), Bm25Retriever(dataset.documents)
        questions = {}
        for query in dataset.queries:
            intent = extractor.extract(query.text, reference_date=query.reference_date)
            if intent.is_temporal:
                questions[query.query_id] = Question(
                    text=query.text, intent=intent, reference_date=query.reference_date
                )
        rankers, pool = [make_ranker(name) for name in SWEEP], Pool(dataset.documents)
        rankers += [make_ranker("qtie", strip=strip) for strip in (True, False)]
        texts = list({ranker.semantic_query(question, pool) for ranker in rankers for question in questions.values()})
        scores = retriever.batch_scores(texts)
        return cls(
            dataset=dataset,
            pool=pool,
            questions=questions,
            semantic=dict(zip(texts, scores, strict=True)),
        )

    def means(self, name: str, options: Mapping[str, Any]) -> dict[str, float]:
        """The measures over the temporal queries."""
        ranker, run = make_ranker(name, **options), {}
        for query_id, question in self.questions.items():
            semantic = self.semantic[ranker.semantic_query(question, self.pool)]
            scores = ranker.scores(question, semantic, self.pool, normalization="bm25")
            top = self.pool.order(scores, semantic)[:100]
            run[query_id] = {self.pool.documents[i].doc_id: 1 / place for place, i in enumerate(top, start=1)}
        qrels = {query_id: self.dataset.qrels[query_id] for query_id in run}
        return dict(evaluate(qrels, run, MEASURES).means)


def rows(benches: Mapping[str, Bench]) -> Iterator[dict[str, Any]]:
    """One row for each ranker and setting."""
    for name, (option, values) in SWEEP.items():
        for value in values or (None,):
            means = {which: bench.means(name, {option: value} if option else {}) for which, bench in benches.items()}
            row: dict[str, Any] = {"ranker": name, "option": option, "value": "" if value is None else value}
            row |= {f"{which} {m}": 100 * of[m] for which, of in means.items() for m in MEASURES}
            yield row | {"mean nDCG@10": 50 * sum(of["nDCG@10"] for of in means.values())}


def main() -> None:
    arguments = parser(__doc__.splitlines()[0]).parse_args()
    timeqa = load_timeqa(arguments.data_dir / "timeqa", arguments.seed)
    dated = replace(timeqa, documents=tuple(with_focus_times(document) for document in timeqa.documents))
    found = list(rows({"sample": Bench.of(load_sample()), "timeqa": Bench.of(dated)}))
    print_table(found, title="Rankers with BM25, temporal questions, one setting a row")
    sample = REPOSITORY / "qtie" / "sample"
    files = [sample / name for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")]
    files += [
        arguments.data_dir / "timeqa" / f"human_{name}.gz" for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
    ]
    write_record("tune_baselines", {"rows": found}, arguments, data=files)


if __name__ == "__main__":
    main()
