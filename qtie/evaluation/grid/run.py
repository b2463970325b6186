"""The grid computed: cells grouped by data set, spread over the cores, finished ones found again."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qtie.errors import EvaluationError
from qtie.evaluation.datasets import Dataset, Query, describe, load_dataset
from qtie.evaluation.grid.bench import Bench
from qtie.evaluation.grid.cell import Cell, Outcome
from qtie.evaluation.grid.intents import is_right
from qtie.evaluation.grid.processes import Failure, Job, failure, finished
from qtie.evaluation.grid.store import OutcomeStore, source_digest
from qtie.intent import IntentExtractor, TemporalIntent
from qtie.tie.extractors import extract_all, make_extractor

__all__ = ["Grid", "Setting", "Survey"]

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where data, cache and frames are, and what all cells share."""

    data_dir: Path
    cache: Path
    frames: Path | None = None
    """The file of words about time that `nobel-complex` is made with."""
    extractor: str | None = None
    """Reads the queries' intents; by default the grammar."""
    seed: int = 0
    n_processes: int = 1

    def load(self, dataset: str) -> Dataset:
        """The data set of that name.

        Raises:
            EvaluationError: it is not there, or cannot be read.
        """
        return load_dataset(dataset, self.data_dir, frames=self.frames)

    def make_extractor(self) -> IntentExtractor:
        """What reads intents."""
        return make_extractor(self.extractor)

    def bench(self, dataset: str, intents: Mapping[str, TemporalIntent] | None = None) -> Bench:
        """What computes the cells of that data set; its queries are read where `intents` are not given."""
        return Bench(
            self.load(dataset), extractor=self.make_extractor(), cache=self.cache, seed=self.seed, intents=intents
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the grid must know of a data set without holding it."""

    name: str
    digest: str
    """The hash of documents, their times, queries and judgements."""
    counts: Mapping[str, Any]
    """As `describe` gives them."""
    queries: tuple[Query, ...]
    intents: tuple[TemporalIntent, ...]
    """As read, one a query."""
    doc_ids: tuple[str, ...] = field(repr=False)

    @property
    def by_query(self) -> dict[str, TemporalIntent]:
        """The intents by query_id."""
        return {query.query_id: intent for query, intent in zip(self.queries, self.intents, strict=True)}

    @property
    def right(self) -> tuple[bool | None, ...]:
        """Whether each query was read rightly; None where the data does not tell."""
        return tuple(is_right(intent, query) for intent, query in zip(self.intents, self.queries, strict=True))


class Grid:
    """Computes cells and keeps what they give.

    Args:
        setting: what all cells share.
        datasets: their names.
        report: is told in one line what has been done.

    Raises:
        EvaluationError: a data set is missing or cannot be read.
    """

    def __init__(self, setting: Setting, datasets: Sequence[str], *, report: Report = lambda line: None) -> None:
        self.setting = setting
        self._report = report
        self._store = OutcomeStore(setting.cache / "cells")
        self.surveys = dict(self._surveyed(datasets))
        self.failed: dict[Cell, str] = {}

    def compute(self, cells: Sequence[Cell]) -> None:
        """Computes what is not there yet; `outcome` gives it, `failed` says what could not be computed."""
        missing: dict[str, list[Cell]] = defaultdict(list)
        for cell in dict.fromkeys(cells):
            if self._key(cell) not in self._store:
                missing[cell.dataset].append(cell)
        names = sorted(missing, key=lambda name: -self._cost(missing[name]))
        jobs = [
            Job(
                name=name,
                function=_computed,
                arguments=(self.setting, self.surveys[name].by_query, self._keys(missing[name])),
            )
            for name in names
        ]
        for job, result in finished(jobs, n_processes=self.setting.n_processes):
            failures = {} if isinstance(result, Failure) else result
            for cell in missing[job.name]:
                if self._key(cell) not in self._store:
                    reason = result.reason if isinstance(result, Failure) else failures.get(cell, "was not computed")
                    self.failed[cell] = reason
            n_failed = sum(cell in self.failed for cell in missing[job.name])
            self._report(f"{job.name}: {len(missing[job.name])} cells" + (f", {n_failed} failed" if n_failed else ""))

    def outcome(self, cell: Cell) -> Outcome | None:
        """What the cell gave; None where it failed."""
        key = self._key(cell)
        return self._store.read(key) if key in self._store else None

    def _surveyed(self, datasets: Sequence[str]) -> Iterator[tuple[str, Survey]]:
        jobs = [Job(name=name, function=_survey, arguments=(self.setting, name)) for name in dict.fromkeys(datasets)]
        found = {}
        for job, result in finished(jobs, n_processes=self.setting.n_processes):
            if isinstance(result, Failure):
                raise EvaluationError(result.reason if result.expected else f"{job.name}: {result.reason}")
            found[job.name] = result
            self._report(f"{job.name}: {len(result.doc_ids):,} documents, {len(result.queries):,} queries")
        yield from ((name, found[name]) for name in dict.fromkeys(datasets))

    def _cost(self, cells: Sequence[Cell]) -> float:
        survey = self.surveys[cells[0].dataset]
        return sum(min(cell.n_queries or 1e9, len(survey.queries)) for cell in cells) * (200 + len(survey.doc_ids))

    def _key(self, cell: Cell) -> str:
        surroundings = {
            "data": self.surveys[cell.dataset].digest,
            "code": source_digest(),
            "extractor": self.setting.extractor or "",
            "seed": str(self.setting.seed),
        }
        if cell.intents.startswith("predictions:"):
            surroundings["predictions"] = hashlib.sha256(Path(cell.intents[12:]).read_bytes()).hexdigest()
        return cell.key(surroundings)

    def _keys(self, cells: Sequence[Cell]) -> dict[Cell, str]:
        return {cell: self._key(cell) for cell in cells}


def _survey(setting: Setting, name: str) -> Survey:
    dataset, extractor = setting.load(name), setting.make_extractor()
    days = [query.reference_date for query in dataset.queries]
    return Survey(
        name=name,
        digest=_digest(dataset),
        counts=describe(dataset),
        queries=dataset.queries,
        intents=tuple(extract_all(extractor, [query.text for query in dataset.queries], reference_dates=days)),
        doc_ids=tuple(document.doc_id for document in dataset.documents),
    )


def _digest(dataset: Dataset) -> str:
    digest = hashlib.sha256()
    for part in (dataset.documents, dataset.queries, dataset.qrels.items(), dataset.candidates.items()):
        for item in part:
            digest.update(repr(item).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _computed(setting: Setting, intents: Mapping[str, TemporalIntent], keys: Mapping[Cell, str]) -> dict[Cell, str]:
    """Computes the cells of one data set into the store, and gives the reasons of those that failed."""
    store = OutcomeStore(setting.cache / "cells")
    bench = setting.bench(next(iter(keys)).dataset, intents)
    failed = {}
    times = ""
    for cell, key in sorted(keys.items(), key=lambda pair: pair[0].times):
        if cell.times != times:
            bench.forget_times()
            times = cell.times
        try:
            store.write(key, bench.outcome(cell))
        except Exception as error:  # one cell's crash leaves the others' results
            failed[cell] = failure(error).reason
    return failed
