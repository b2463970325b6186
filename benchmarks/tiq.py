"""Implicit time in TIQ (dev): how often rewriters find the days of the event that a question names.

Sources: the shipped event lexicon; the distinct evidence snippets of the temporal value questions (TVQ dev), searched
by BM25, each with its time; and both, the lexicon first. A question counts as resolved when a rewriter puts days in;
they are right when they are the gold constraint's, or share half of both intervals' days (intersection over union),
and else wrong. As snippets and questions name one event at different granularity (a day, its year), "inside" counts
those of which one interval holds the other, and "apart" those that share no day. Least overlap and margin of
`GroundingRewriter` were chosen on the half of the questions whose hash is even; the other half is scored with
its defaults.
"""

import gzip
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from report import REPOSITORY, parser, print_table, write_record

from qtie.document import Document
from qtie.document_time import DocumentTime
from qtie.errors import IntervalError
from qtie.interval import TimeInterval
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.grounding import evidence_search
from qtie.retrieval.search import TemporalSearcher
from qtie.rewriting.grounding import GroundingRewriter, Search
from qtie.rewriting.lexicon import LexiconRewriter
from qtie.rewriting.rewriter import Rewriter, RewriterChain

_SETTINGS = ((0.5, 0.3), (0.6, 0.3), (0.75, 0.3), (0.9, 0.3), (0.6, 0.1))
"""Least overlap and margin."""


class Question(NamedTuple):
    """A question, and the days that its event stands for."""

    text: str
    gold: tuple[TimeInterval, ...]
    is_tuned_on: bool


def main() -> None:
    arguments = parser(__doc__ or "").parse_args()
    files = [arguments.data_dir / "tiq" / name for name in ("tiq_dev.jsonl.gz", "tvq_dev.jsonl.gz")]
    questions = list(read_questions(files[0]))
    search = snippet_search(files[1])
    halves = {tuned: [question for question in questions if question.is_tuned_on == tuned] for tuned in (True, False)}
    known = cache(search)
    sweep = [
        {"least overlap": least_overlap, "margin": margin}
        | scored(GroundingRewriter(known, least_overlap=least_overlap, margin=margin), halves[True])
        for least_overlap, margin in _SETTINGS
    ]
    for row in sweep:
        del row["ms"]  # most searches were known
    grounding = GroundingRewriter(search)
    lexicon = LexiconRewriter()
    rewriters: dict[str, Rewriter] = {
        "lexicon": lexicon,
        "snippets": grounding,
        "lexicon, then snippets": RewriterChain([lexicon, grounding]),
    }
    rows = [{"source": name} | scored(rewriter, halves[False]) for name, rewriter in rewriters.items()]
    print_table(sweep, title=f"On the {len(halves[True])} questions that settings are chosen on, %")
    print_table(rows, title=f"On the other {len(halves[False])} questions, %; exact to wrong: of those resolved")
    data = [*files, REPOSITORY / "qtie" / "rewriting" / "events.jsonl"]
    write_record("tiq", {"sweep": sweep, "scored": rows}, arguments, data=data)


def read_questions(path: Path) -> Iterator[Question]:
    """The questions of a file, each with whether it is among those that settings are chosen on."""
    for record in _records(path):
        gold = tuple(interval_of(*pair) for pair in record["gold_constraint"])
        is_even = int(hashlib.sha1(str(record["id"]).encode()).hexdigest(), 16) % 2 == 0
        yield Question(record["question"], gold, is_even)


def snippet_search(path: Path) -> Search:
    """A search over the distinct snippets of a file of value questions, each with its time."""
    times = {(record["evidence"], interval_of(*record["timespan"])): None for record in _records(path)}
    documents = [
        Document(doc_id=str(number), text=text, times={"event": (DocumentTime(interval=interval),)})
        for number, (text, interval) in enumerate(times)
    ]
    return evidence_search(TemporalSearcher(documents, Bm25Retriever(documents)), stated_dates=False)


def scored(rewriter: Rewriter, questions: Sequence[Question]) -> dict[str, Any]:
    """Shares in %: resolved, of all; exact, half (shared), inside and wrong, of those resolved; ms a question."""
    started = time.perf_counter()
    rewrites = [rewriter.rewrite(question.text) for question in questions]
    ms = 1000 * (time.perf_counter() - started) / len(questions)
    found = [
        max(shared(event.interval, gold) for event in rewrite.events for gold in question.gold)
        for question, rewrite in zip(questions, rewrites, strict=True)
        if rewrite.events
    ]
    n = max(1, len(found))
    return {
        "n": len(questions),
        "resolved": 100 * len(found) / len(questions),
        "several fit": 100 * sum(not one.events and bool(one.candidates) for one in rewrites) / len(questions),
        "exact": 100 * sum(share.union == 1 for share in found) / n,
        "half": 100 * sum(share.union >= 0.5 for share in found) / n,
        "inside": 100 * sum(share.shorter == 1 for share in found) / n,
        "wrong": 100 * sum(share.union < 0.5 for share in found) / n,
        "apart": 100 * sum(share.shorter == 0 for share in found) / n,
        "ms": ms,
    }


class Shared(NamedTuple):
    """The days that two intervals share, as a share of the days in either, and of the shorter one's."""

    union: float
    shorter: float


def shared(a: TimeInterval, b: TimeInterval) -> Shared:
    """How much two intervals share, each in [0, 1]."""
    both = a.intersection(b)
    if both is None:
        return Shared(0.0, 0.0)
    return Shared(both.n_days / (a.n_days + b.n_days - both.n_days), both.n_days / min(a.n_days, b.n_days))


def interval_of(first: str, last: str) -> TimeInterval:
    """The days from one to the other; a day that does not exist is its month, reversed bounds are swapped."""
    a, b = _unit(first), _unit(last)
    return a.hull(b)


def _unit(text: str) -> TimeInterval:
    try:
        return TimeInterval.parse(text)
    except IntervalError:
        return TimeInterval.parse(text[: text.rindex("-")])


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    main()
