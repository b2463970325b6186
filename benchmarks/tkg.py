"""Questions over the MultiTQ facts, answered without a language model: coverage, Hits@k, ablations, final stages.

    python benchmarks/tkg.py [--n 3400] [--time-encoder FOLDER]

The questions are made by `tkg_questions.py`, in wordings written apart from the parser, with exact answers computed
from the same facts. The tenth of them whose id's SHA-1 is a multiple of ten served to mend the parser, and is not
scored. The real questions are MultiTQ's 150 in the data folder (`tkg_real.py`).

`coverage@15`: a fact that answers the question (or, where two events are asked for together, dates one) is among the 15
that are read. `Hit`: one of the answers that fit best is right. `F1`: of the answers that fit best, as a set.
"""

import argparse
import hashlib
import random
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from report import parser, print_table, write_record
from tkg_questions import make_questions
from tkg_questions import read_facts as read_rows
from tkg_real import measured_real

from qtie.evaluation.answers import hits_at_k, same_answer
from qtie.intent import IntentExtractor, TemporalIntent
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.tie.extractors import make_extractor
from qtie.tkg.answer import TkgAnswer
from qtie.tkg.fact import Fact, read_facts
from qtie.tkg.pipeline import TkgOptions, TkgPipeline
from qtie.tkg.store import FactStore

GRAPH = "multitq/kg_valid_test.tsv.gz"
DEPTHS = (1, 3, 5, 10, 15, 20, 30, 50)


class Remembering:
    """An extractor and an encoder that read each text once, so that many variants are compared in little time."""

    def __init__(self, extractor: IntentExtractor, encoder: Encoder | None) -> None:
        self._extractor, self._encoder = extractor, encoder
        self._intents: dict[str, TemporalIntent] = {}
        self._vectors: dict[str, Any] = {}
        self.fingerprint = encoder.fingerprint if encoder else ""

    def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
        if query not in self._intents:
            self._intents[query] = self._extractor.extract(query, reference_date=reference_date)
        return self._intents[query]

    def encode_queries(self, texts: Sequence[str]) -> Any:
        assert self._encoder is not None
        for text in texts:
            if text not in self._vectors:
                self._vectors[text] = self._encoder.encode_queries([text])[0]
        return np.array([self._vectors[text] for text in texts])

    def encode_documents(self, texts: Sequence[str]) -> Any:
        assert self._encoder is not None
        return self._encoder.encode_documents(texts)


@dataclass(frozen=True)
class Scored:
    """What is counted of a question under one variant."""

    record: Mapping[str, Any]
    coverage: float
    hits_1: float
    hits_10: float
    hit: float
    f1: float


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--n", type=int, default=3400, help="how many questions are made")
    arguments.add_argument("--n-variants", type=int, default=600, help="on how many of them variants are compared")
    arguments.add_argument("--encoder", default="minilm", help="of FKS")
    arguments.add_argument("--time-encoder", help="of TKS: a folder of qtie train tkg-retriever")
    options = arguments.parse_args()
    path = options.data_dir / GRAPH
    started, started_cpu = time.perf_counter(), time.process_time()
    store = indexed(path, options)
    index_seconds = {
        "seconds": round(time.perf_counter() - started, 1),
        "of them processor time": round(time.process_time() - started_cpu, 1),
    }
    extractor = make_extractor()
    encoders = {"fks": load_encoder(options.encoder)}
    if options.time_encoder:
        encoders["tks"] = load_encoder(options.time_encoder)
    records = [r for r in make_questions(read_rows(path), options.n, seed=options.seed) if not is_looked_at(r)]
    results = measured(store, extractor, encoders, records, n_variants=options.n_variants, seed=options.seed)
    pipeline = TkgPipeline(store, extractor, encoder=encoders["fks"])
    results["real questions"] = measured_real(pipeline, options.data_dir / "multitq")
    results["index"] = {"facts": len(store), **index_seconds}
    write_record("tkg", results, options, data=[path])


def indexed(path: Path, options: argparse.Namespace) -> FactStore:
    """The store as `qtie tkg index` makes it."""
    store = FactStore.of(read_facts(path))
    store = store.with_index("fks", load_encoder(options.encoder), encoder_name=options.encoder)
    if options.time_encoder:
        store = store.with_index("tks", load_encoder(options.time_encoder), encoder_name=options.time_encoder)
    return store


def is_looked_at(record: Mapping[str, Any]) -> bool:
    """Whether the question belongs to the tenth that the parser was mended on."""
    return int(hashlib.sha1(str(record["id"]).encode()).hexdigest(), 16) % 10 == 0


def measured(
    store: FactStore,
    extractor: IntentExtractor,
    encoders: Mapping[str, Encoder],
    records: Sequence[Mapping[str, Any]],
    *,
    n_variants: int,
    seed: int,
) -> dict[str, Any]:
    """Every table: the first of all questions, the others of as many as are drawn for variants."""
    drawn = random.Random(seed).sample(list(records), min(n_variants, len(records)))
    memory = Remembering(extractor, encoders["fks"])
    time_memory = Remembering(extractor, encoders["tks"]) if "tks" in encoders else None

    whole = TkgPipeline(store, memory, encoder=memory, time_encoder=time_memory)

    def run(
        options: TkgOptions,
        *,
        pipeline: TkgPipeline = whole,
        records: Sequence[Mapping[str, Any]] = drawn,
    ) -> list[Scored]:
        chosen = pipeline.with_options(options)
        return [scored(record, chosen.ask(record["question"])) for record in records]

    started, started_cpu = time.perf_counter(), time.process_time()
    full = run(TkgOptions(), records=records)
    elapsed, cpu = time.perf_counter() - started, time.process_time() - started_cpu
    print_table(by_group(full), title="by form and answer type")
    print(
        f"{1000 * elapsed / len(records):.1f} ms a question, {1000 * cpu / len(records):.1f} ms of the processor",
        flush=True,
    )
    default = TkgOptions()
    bare = replace(store, phrases={}, indexes={})
    variants = {
        "whole pipeline": run(default),
        "no rewriting": run(replace(default, rewrite=False)),
        "no time filter": run(replace(default, final_stage="cosine")),
        "plain encoder in place of structure": run(replace(default, semantic="fks")),
        **({"time-aware encoder in place of structure": run(replace(default, semantic="tks"))} if time_memory else {}),
        "predicates by shared words alone": run(default, pipeline=TkgPipeline(store, memory)),
        "predicates by their labels alone": run(default, pipeline=TkgPipeline(bare, memory, encoder=memory)),
    }
    results = {
        "by form and answer type": by_group(full),
        "ablations": [{"variant": name, **means(rows)} for name, rows in variants.items()],
        "final stages": final_stages(run),
        "number of facts": by_depth(run),
        "coverage of the plain and the time-aware index": overlap(run, time_memory is not None),
        "milliseconds a question": round(1000 * elapsed / len(records), 1),
        "of them processor time": round(1000 * cpu / len(records), 1),
        "questions for variants": len(drawn),
    }
    for title, rows in results.items():
        if isinstance(rows, list):
            print_table(rows, title=title)
    print(
        f"\n{results['milliseconds a question']} ms a question, {results['of them processor time']} ms of the processor"
    )
    return results


def scored(record: Mapping[str, Any], answer: TkgAnswer) -> Scored:
    gold = {(fact["subject"], fact["relation"], fact["object"], fact["date"]) for fact in record["gold_facts"]}
    found = {(each.fact.subject, each.fact.predicate, each.fact.object, _day(each.fact)) for each in answer.facts}
    best = answer.best_answers
    right = [any(same_answer(given, one) for one in record["answers"]) for given in best]
    n_found = sum(any(same_answer(given, one) for given in best) for one in record["answers"])
    precision, recall = sum(right) / max(1, len(best)), n_found / len(record["answers"])
    return Scored(
        record=record,
        coverage=float(bool(gold & found)),
        hits_1=hits_at_k(answer.answers, record["answers"], 1),
        hits_10=hits_at_k(answer.answers, record["answers"], 10),
        hit=float(any(right)),
        f1=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
    )


def _day(fact: Fact) -> str:
    return str(fact.interval)[:10]


def means(rows: Sequence[Scored]) -> dict[str, float]:
    names = {"coverage@15": "coverage", "Hits@1": "hits_1", "Hits@10": "hits_10", "Hit": "hit", "F1": "f1"}
    return {title: round(fmean(getattr(row, name) for row in rows), 4) for title, name in names.items()}


def by_group(rows: Sequence[Scored]) -> list[dict[str, Any]]:
    """The means of all questions, and of those of each form, answer type and kind of relation."""
    groups: dict[str, list[Scored]] = defaultdict(list)
    for row in rows:
        groups["all"].append(row)
        groups[f"form {row.record['form']}"].append(row)
        groups[f"answer {row.record['answer_type']}"].append(row)
        groups[f"relation {row.record['split_relation']} in training"].append(row)
        groups["with an event" if row.record["event"] else "without an event"].append(row)
    return [{"questions": name, "n": len(group), **means(group)} for name, group in groups.items()]


def final_stages(run: Callable[..., list[Scored]]) -> list[dict[str, Any]]:
    """The last stage's four scores, with and without rewriting."""
    return [
        {
            "rewriting": "yes" if rewrite else "no",
            "final stage": stage,
            **means(run(TkgOptions(rewrite=rewrite, final_stage=stage))),
        }
        for rewrite in (False, True)
        for stage in ("cosine", "timer4_2024", "timer4_2025", "product_of_experts")
    ]


def by_depth(run: Callable[..., list[Scored]]) -> list[dict[str, Any]]:
    """The means where answers are read from so many facts."""
    tables = {depth: means(run(TkgOptions(n_facts=depth))) for depth in DEPTHS}
    return [
        {"facts": depth} | {title.removesuffix("@15"): value for title, value in table.items()}
        for depth, table in tables.items()
    ]


def overlap(run: Callable[..., list[Scored]], has_time: bool) -> list[dict[str, Any]]:
    """How many questions have their fact among the first 15 of each index, by cosine alone, and of both."""
    options = TkgOptions(final_stage="cosine", semantic="fks")
    found = {"FKS": [row.coverage for row in run(options)]}
    if has_time:
        found["TKS"] = [row.coverage for row in run(replace(options, semantic="tks"))]
        found["both"] = [a * b for a, b in zip(found["FKS"], found["TKS"], strict=True)]
        found["either"] = [max(a, b) for a, b in zip(found["FKS"], found["TKS"], strict=True)]
    return [{"index": name, "coverage@15": round(fmean(values), 4)} for name, values in found.items()]


if __name__ == "__main__":
    main()
