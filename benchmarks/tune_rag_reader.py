"""The sweep behind the weights of the extractive reader (`qtie.rag.candidates.ReadingWeights`).

TimeQA's pages with an even SHA-1 and SituatedQA's training questions, 200 of each, their five best passages by topic
and time (BM25). One weight is changed at a time, the others as given; the least coverage is chosen on the same
questions asked of the other set's documents, where nothing answers.
"""

from dataclasses import asdict, replace

from rag_data import TASKS, Task
from report import parser, print_table, write_record

from qtie.evaluation.answers import answer_accuracy
from qtie.rag.candidates import Candidate, ReadingWeights, candidates
from qtie.rag.extractive import ExtractiveReader
from qtie.rag.passage import Asked, passages_of
from qtie.rag.pipeline import temporal
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.search import TemporalSearcher

N, K = 200, 5
GRID: dict[str, tuple[float, ...]] = {
    "passage_share": (0.2, 0.4, 0.6, 0.8, 1.0),
    "time": (0.25, 0.5, 1.0, 1.5, 2.0),
    "rank": (0.0, 0.5, 1.0, 2.0, 4.0),
    "distance": (0.0, 0.003, 0.01, 0.02),
    "sort": (0.0, 0.25, 0.5, 1.0, 1.5),
    "restated": (0.0, 0.5, 1.0, 2.0),
}
Read = list[tuple[list[Candidate], tuple[str, ...]]]


def main() -> None:
    arguments = parser(__doc__ or "").parse_args()
    tasks = {
        name: TASKS[name](arguments.data_dir, "train").sample(N, arguments.seed) for name in ("timeqa", "situatedqa")
    }
    read = {name: _read(task, task) for name, task in tasks.items()}
    rows = []
    start = ReadingWeights()
    for name, values in GRID.items():
        for value in values:
            accuracies = {task: _accuracy(read[task], replace(start, **{name: value})) for task in read}
            rows.append({"weight": name, "value": value, **accuracies, "mean": sum(accuracies.values()) / len(read)})
    print_table(rows, title=f"Answer accuracy, {N} questions each, %; the others as in {asdict(start)}")
    foreign = _read(tasks["timeqa"], tasks["situatedqa"]) + _read(tasks["situatedqa"], tasks["timeqa"])
    own = [each for one in read.values() for each in one]
    coverage = []
    for least in (0.2, 0.25, 0.3, 0.35, 0.45, 0.55, 0.65):
        reader = ExtractiveReader(least_coverage=least)
        refused = [reader.best(found) is None for found, _ in foreign]
        coverage.append(
            {"least_coverage": least, "refused of the other set": 100 * sum(refused) / len(refused),
             "accuracy on their own": _accuracy(own, start, least)}
        )  # fmt: skip
    print_table(coverage, title="Questions without an answer")
    files = [
        arguments.data_dir / "timeqa" / "human_queries.jsonl.gz",
        arguments.data_dir / "situatedqa" / "temp_train.jsonl.gz",
    ]
    write_record(
        "tune_rag_reader", {"weights": rows, "coverage": coverage, "start": asdict(start)}, arguments, data=files
    )


def _read(task: Task, of: Task) -> Read:
    """What may answer the questions of a task in another's documents."""
    searcher = TemporalSearcher(of.documents, Bm25Retriever(of.documents))
    find = temporal(searcher)
    read = []
    for item in task.items:
        intent = searcher.reranker.extractor.extract(item.question)
        asked = Asked(question=item.question, intent=intent)
        read.append((candidates(asked, passages_of(find(asked, K), asked)), item.answers))
    return read


def _accuracy(read: Read, weights: ReadingWeights, least: float = 0.3) -> float:
    reader = ExtractiveReader(weights=weights, least_coverage=least)
    chosen = [(reader.best(found), answers) for found, answers in read]
    right = [answer_accuracy(best.answer, answers) if best else 0.0 for best, answers in chosen]
    return 100 * sum(right) / len(right)


if __name__ == "__main__":
    main()
