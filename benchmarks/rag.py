"""Temporal RAG: what pipelines answer with the same reader, the same documents and the same number of passages.

Each question is answered by each pipeline from its K best passages, dates shown to the reader by all of them. Standard
retrieves by topic alone; `reranked:…` orders its 100 candidates again; temporal is ours; iterative revises the scope of
time, and dates named events by the lexicon and by the documents themselves; closed-book reads nothing. Counted are
answer accuracy, Hit and token F1 (`qtie.evaluation.answers`), questions of which evidence was read (R@K), answers from
another time, tokens, and milliseconds of processor time (median; a local language model's included). Temporal and
iterative are compared with standard, and iterative with temporal: exact McNemar on answer accuracy, Holm over all
comparisons. The data are described in `rag_data.py`. Weights were chosen on other questions; but a first run on Nobel
showed two faults of the extractive reader, which took "Physics 1911" for a name and passed over first lines, and which
were mended before this one.

The retriever is BM25; `--retriever minilm` takes MiniLM. `--llm FILE.gguf` adds a language model as reader, on fewer
questions (`--llm-queries`), `--base-llm` one that goes on from an example, without a chat's template. What is measured
is kept in `--cache`, so that a stopped run goes on, and that tasks may be measured by several processes before one
writes the record. `--rerankers` adds others, such as `cross-encoder:MODEL`, or `embedding:minilm` where no
cross-encoder's weights are at hand.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rag_data import TASKS, Task
from report import RESULTS, parser, print_table, sha256, write_record

from qtie.errors import LlmError
from qtie.evaluation.answers import answer_accuracy, hit, token_f1
from qtie.evaluation.significance import holm, mcnemar
from qtie.llm.cache import AnswerCache, CachedChat
from qtie.llm.llama_cpp import LlamaCppChat
from qtie.rag.extractive import ExtractiveReader
from qtie.rag.llm_reader import LlmReader
from qtie.rag.pipeline import Pipeline, Settings
from qtie.rag.pipelines import make_pipeline
from qtie.rag.reader import Reader
from qtie.retrieval.encoders import load_encoder
from qtie.retrieval.grounding import evidence_search
from qtie.retrieval.hybrid import make_retriever
from qtie.retrieval.search import TemporalSearcher
from qtie.rewriting.grounding import GroundingRewriter
from qtie.rewriting.lexicon import LexiconRewriter
from qtie.rewriting.rewriter import RewriterChain

OURS = ("standard", "temporal", "iterative")
RANKED = (*OURS, *(f"reranked:{name}" for name in ("qtie", "tempralm", "mrag", "timer4-2025")))
PLANS: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "nobel": ("test", 200, RANKED),
    "timeqa": ("test", 200, RANKED),
    "situatedqa": ("dev", 200, RANKED),
    "temprageval-draft": ("test", 200, RANKED),
    "situatedqa-atemporal": ("dev", 200, RANKED),
    "tiq": ("dev", 300, RANKED),
    "tiq-snippets": ("dev", 300, OURS),
}
"""By task: the split, how many of its questions, and the pipelines that answer them with the extractive reader."""
LLM_PIPELINES = ("closed-book", "standard", "temporal")
IMPLICIT = ("tiq", "tiq-snippets")
"""The tasks whose questions name events in place of times: there a language model reads in rounds as well."""


def main() -> None:
    arguments = _arguments()
    rows: list[dict[str, Any]] = []
    for name in arguments.task:
        split, n_queries, chosen = PLANS[name]
        task = TASKS[name](arguments.data_dir, split)
        by_llm = (*LLM_PIPELINES, "iterative") if name in IMPLICIT else LLM_PIPELINES
        for reader, pipelines, n in _readers(arguments, chosen, n_queries, by_llm):
            asked = task.sample(n, arguments.seed)
            outcomes = _kept(asked, reader, pipelines, arguments)
            rows += _rows(asked, reader.name, outcomes)
    _corrected(rows)
    for key in dict.fromkeys((row["task"], row["reader"]) for row in rows):
        part = [row for row in rows if (row["task"], row["reader"]) == key]
        names = list(dict.fromkeys(name for row in part for name in row))[2:]
        print_table([{name: row.get(name, "") for name in names} for row in part], title=f"{', '.join(key)}; in %")
    files = [file for name in arguments.task for file in _files(arguments.data_dir, name)]
    models = {Path(llm).name: sha256(Path(llm)) for llm in (*arguments.llm, *arguments.base_llm)}
    record = {"k": arguments.k, "rows": rows, "models": models}
    write_record(arguments.name, record, arguments, data=dict.fromkeys(files))


def _arguments() -> argparse.Namespace:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--task", nargs="+", choices=list(TASKS), default=list(TASKS))
    arguments.add_argument("--queries", type=int, help="that many of each task at most, with the extractive reader")
    arguments.add_argument("--retriever", choices=["bm25", "minilm"], default="bm25")
    arguments.add_argument("--rerankers", nargs="*", default=[], help="further ones, for all tasks")
    arguments.add_argument("--no-extractive", action="store_true", help="language models alone")
    arguments.add_argument("--llm", nargs="*", default=[], help="GGUF files of chat models")
    arguments.add_argument("--base-llm", nargs="*", default=[], help="those of models shown an example, not a chat")
    arguments.add_argument("--llm-queries", type=int, default=20)
    arguments.add_argument("--llm-tokens", type=int, default=500, help="the budget of a prompt")
    arguments.add_argument("-k", type=int, default=5, help="passages read")
    arguments.add_argument("--cache", type=Path, default=RESULTS.parent.parent / ".cache", help="answers, embeddings")
    arguments.add_argument("--name", default="rag", help="of the record")
    return arguments.parse_args()


def _readers(
    arguments: argparse.Namespace, pipelines: Sequence[str], n_queries: int, by_llm: Sequence[str]
) -> Iterable[tuple[Reader, Sequence[str], int]]:
    if not arguments.no_extractive:
        further = tuple(f"reranked:{name}" for name in arguments.rerankers)
        yield ExtractiveReader(), (*pipelines, *further), min(n_queries, arguments.queries or n_queries)
    for path in (*arguments.llm, *arguments.base_llm):
        chats = path in arguments.llm
        model = LlamaCppChat(path, n_threads=1, template=chats)
        chat = CachedChat(model, AnswerCache(arguments.cache / "rag_answers.sqlite"))
        reader = LlmReader(chat, n_tokens=arguments.llm_tokens, max_tokens=24, example=not chats)
        reader.name = Path(path).stem if chats else f"{Path(path).stem} (example)"
        yield reader, by_llm, arguments.llm_queries


class Outcome(NamedTuple):
    """What one question came to."""

    query_id: str
    answer: str | None
    failure: str | None
    outside: bool
    doc_ids: list[str]
    """What was read in the last round."""
    n_steps: int
    n_tokens: int
    seconds: float
    """Of processor time."""


def _kept(
    task: Task, reader: Reader, pipelines: Sequence[str], arguments: argparse.Namespace
) -> dict[str, list[Outcome]]:
    """By pipeline what each question came to, from the cache where it is there; empty it when code has changed."""
    named = [task.name, reader.name, len(task.items), arguments.seed, arguments.k, arguments.retriever]
    named += [arguments.llm_tokens] if reader.name != "extractive" else []
    folder = arguments.cache / "rag" / "-".join(map(str, named))
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Outcome]] = {}
    make = _maker(task, reader, arguments)
    for name in pipelines:
        path = folder / f"{name.replace(':', '-')}.json"
        if not path.exists():
            outcomes = _ask_all(task, make(name))
            path.write_text(json.dumps(outcomes, ensure_ascii=False), encoding="utf-8")
        found[name] = [Outcome(*each) for each in json.loads(path.read_text(encoding="utf-8"))]
    return found


def _maker(task: Task, reader: Reader, arguments: argparse.Namespace) -> Callable[[str], Pipeline]:
    """Makes pipelines by name over one index, which is built for the first of them."""

    @cache
    def searcher() -> TemporalSearcher:
        dense = arguments.retriever == "minilm"
        encoder = load_encoder("minilm") if dense else None
        folder = arguments.cache / "embeddings" if dense else None
        name = "dense" if dense else "bm25"
        return TemporalSearcher(
            task.documents, make_retriever(name, task.documents, encoder=encoder, cache_folder=folder)
        )

    def make(name: str) -> Pipeline:
        settings = Settings(reader=reader, extractor=searcher().reranker.extractor, k=arguments.k)
        rewriter = RewriterChain([LexiconRewriter(), GroundingRewriter(evidence_search(searcher()))])
        return make_pipeline(name, searcher(), settings, rewriter=rewriter)

    return make


def _ask_all(task: Task, pipeline: Pipeline) -> list[Outcome]:
    with suppress(LlmError):
        pipeline.ask(task.items[0].question)  # what is loaded or built at first use is no question's time
    outcomes = []
    for item in task.items:
        started = time.process_time()
        try:
            answer = pipeline.ask(item.question, reference_date=item.reference_date)
        except LlmError as error:
            outcomes.append(Outcome(item.query_id, None, error.reason, False, [], 1, 0, time.process_time() - started))
            continue
        seconds = time.process_time() - started
        n_tokens = answer.n_tokens_read + answer.n_tokens_written
        read = list(answer.steps[-1].doc_ids)
        outcomes.append(
            Outcome(item.query_id, answer.answer, None, answer.outside, read, len(answer.steps), n_tokens, seconds)
        )
    return outcomes


def _rows(task: Task, reader: str, found: Mapping[str, list[Outcome]]) -> list[dict[str, Any]]:
    rows = []
    right = {name: _measured(task, each, answer_accuracy) for name, each in found.items()}
    for name, each in found.items():
        row: dict[str, Any] = {"task": task.name, "reader": reader, "pipeline": name, "n": len(each)}
        row["accuracy"] = 100 * float(right[name].mean())
        row["Hit"] = 100 * float(_measured(task, each, hit).mean())
        row["F1"] = 100 * float(_measured(task, each, token_f1).mean())
        evidence = [not item.relevant.isdisjoint(one.doc_ids) for item, one in zip(task.items, each, strict=True)]
        row["R@K"] = 100 * fmean(evidence)
        row["outside"] = 100 * fmean(one.outside for one in each)
        row["no answer"] = sum(one.answer is None and one.failure is None for one in each)
        row["failed"] = sum(one.failure is not None for one in each)
        row["rounds"] = fmean(one.n_steps for one in each)
        row["tokens"] = fmean(one.n_tokens for one in each)
        row["ms"] = 1000 * float(np.median([one.seconds for one in each]))
        for other in ("standard", "temporal"):
            if other in right and name in ("temporal", "iterative") and name != other:
                row[f"against {other}"] = row["accuracy"] - 100 * float(right[other].mean())
                row[f"p against {other}"] = mcnemar(right[name], right[other])
        rows.append(row)
    return rows


def _measured(
    task: Task, outcomes: Sequence[Outcome], measure: Callable[[str, Sequence[str]], float]
) -> NDArray[np.float64]:
    """Shape (n_questions,): no answer counts as none right."""
    pairs = zip(task.items, outcomes, strict=True)
    return np.array([measure(one.answer, item.answers) if one.answer else 0.0 for item, one in pairs])


def _corrected(rows: list[dict[str, Any]]) -> None:
    """Adds Holm's correction over every comparison of the table to the raw p."""
    places = [(row, key) for row in rows for key in ("p against standard", "p against temporal") if key in row]
    for (row, key), p in zip(places, holm([row[key] for row, key in places]), strict=True):
        row[f"{key} (Holm)"] = p


def _files(data: Path, name: str) -> Iterable[Path]:
    folder = data / name.removesuffix("-atemporal").removesuffix("-snippets").replace("nobel", "nobel_prize").replace(
        "-", "_"
    )
    return sorted(path for path in folder.iterdir() if path.suffix in (".gz", ".jsonl"))


if __name__ == "__main__":
    main()
