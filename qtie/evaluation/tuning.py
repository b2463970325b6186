"""Settings chosen on one's own judged queries by cross-validation, and what they gain on queries not chosen on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie import defaults
from qtie.config import Config, MissingPolicy
from qtie.errors import ConfigError, EvaluationError, require
from qtie.evaluation.datasets import Dataset, with_text_times
from qtie.evaluation.grid.judgements import Judgements
from qtie.evaluation.significance import bootstrap_interval
from qtie.evaluation.tables import Column, Table
from qtie.fusion import product_of_experts
from qtie.intent import TemporalIntent
from qtie.kernels import KERNELS
from qtie.normalization import Scores, normalize
from qtie.retrieval.hybrid import HybridRetriever
from qtie.retrieval.pool import Pool
from qtie.retrieval.retriever import Retriever, reads_time
from qtie.temporal_relevance import temporal_scores
from qtie.whole_file import check_writable, write_whole

__all__ = ["Setting", "Tuning", "check_target", "tune", "write_setting"]

_WEIGHTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_MISSING: tuple[MissingPolicy, ...] = ("neutral", "penalize", "estimate")
_CALIBRATIONS = {
    "bm25": ("bm25", "rank"),
    "corpus": ("corpus", "min_max", "cosine", "rank"),
}
"""By the normalization that a retriever names, those that make sense of its scores."""
_DENSE_WEIGHTS = (0.3, 0.5, 0.7, 0.9)
_SECTIONS = {"missing": "documents", "dense_weight": "retrieval"}
_LEAST_QUERIES = 10
_DEPTH = 10

Top = NDArray[np.int32]
"""Shape (n_queries, 10): positions of documents, best first; -1 where nothing is ranked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is chosen; the names are those of `qtie.toml`."""

    temporal_weight: float
    kernel: str
    normalization: str
    missing: MissingPolicy
    dense_weight: float | None = None
    """None for retrievers that mix nothing."""

    def to_dict(self) -> dict[str, Any]:
        """By name, without what is not set."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, eq=False, kw_only=True)
class Tuning:
    """What cross-validation found."""

    measure: str
    in_force: Setting
    best: Setting
    """The best on all queries."""
    chosen: tuple[Setting, ...]
    """The best on all queries but those of each fold."""
    before: NDArray[np.float64]
    """Shape (n_queries,): the measure with the setting in force."""
    after: NDArray[np.float64]
    """Shape (n_queries,): the measure with the setting that was chosen without that query's fold."""
    folds: NDArray[np.intp]
    """Shape (n_queries,): each query's fold."""

    @property
    def gain(self) -> float:
        """The cross-validated gain of the measure's mean, in [-1, 1]."""
        return float(self.after.mean() - self.before.mean())

    def interval(self, *, seed: int = 0) -> tuple[float, float]:
        """The 95 % bootstrap interval of the gain."""
        return bootstrap_interval(self.after, self.before, seed=seed)

    def table(self, *, seed: int = 0) -> Table:
        """Each fold, and all together with the interval of the gain; in %."""
        rows: list[dict[str, Any]] = []
        for number, setting in enumerate(self.chosen):
            in_fold = self.folds == number
            before, after = 100 * float(self.before[in_fold].mean()), 100 * float(self.after[in_fold].mean())
            rows.append(
                {"fold": str(number + 1), "queries": int(in_fold.sum()), "chosen on the others": _text(setting),
                 "in force": before, "chosen": after, "gain": after - before}
            )  # fmt: skip
        before, after = 100 * float(self.before.mean()), 100 * float(self.after.mean())
        low, high = self.interval(seed=seed)
        rows.append(
            {"fold": "all", "queries": len(self.before), "in force": before, "chosen": after, "gain": after - before,
             "95 % interval": f"[{100 * low:.1f}, {100 * high:.1f}]"}
        )  # fmt: skip
        names = ("fold", "queries", "chosen on the others", "in force", "chosen", "gain", "95 % interval")
        title = f"{self.measure} on queries that ask for a time, in %"
        return Table(name="tuning", title=title, columns=[Column(name=name) for name in names], rows=rows)


def tune(
    dataset: Dataset,
    retriever: Retriever,
    *,
    intents: Mapping[str, TemporalIntent],
    config: Config,
    measure: str = "nDCG@10",
    n_folds: int = 5,
    seed: int = 0,
) -> Tuning:
    """Tries every setting on the queries that ask for a time; cross-validation says what choosing the best one gains.

    Args:
        dataset: judged queries, and the documents in the retriever's order.
        retriever: scores their topic; a hybrid's mixture is chosen as well.
        intents: what each query asks for, by query_id.
        config: the settings in force, which the gain is measured against.
        measure: `P@k`, `R@k` or `nDCG@k` with k up to 10, or `RR`, which sees the first ten.
        n_folds: into how many parts the queries are divided.
        seed: divides them.

    Raises:
        EvaluationError: too few queries ask for a time, or the measure is unknown.
        ConfigError: fewer than two folds, or more than queries.
    """
    queries = [
        query for query in dataset.queries if intents[query.query_id].is_temporal and query.query_id in dataset.qrels
    ]
    if len(queries) < _LEAST_QUERIES:
        raise EvaluationError(f"{len(queries)} judged queries ask for a time; choosing needs at least {_LEAST_QUERIES}")
    if not 2 <= n_folds <= len(queries):
        raise ConfigError(f"n_folds must be from 2 to the number of queries, {len(queries)}, not {n_folds}")
    asked = [intents[query.query_id] for query in queries]
    in_force = _in_force(config, retriever)
    judged = Judgements(dataset.qrels, [query.query_id for query in queries], [d.doc_id for d in dataset.documents])
    tops = dict(_tops(dataset, retriever, asked, in_force))
    settings = [in_force, *(setting for setting in tops if setting != in_force)]
    values = np.array([judged.measures(tops[setting], [measure])[measure] for setting in settings])
    order = list(range(len(queries)))
    Random(seed).shuffle(order)
    folds = np.empty(len(queries), dtype=np.intp)
    folds[order] = np.arange(len(queries)) % n_folds
    chosen = [int(values[:, folds != fold].mean(axis=1).argmax()) for fold in range(n_folds)]
    return Tuning(
        measure=measure,
        in_force=in_force,
        best=settings[int(values.mean(axis=1).argmax())],
        chosen=tuple(settings[index] for index in chosen),
        before=values[0],
        after=values[np.array(chosen)[folds], np.arange(len(queries))],
        folds=folds,
    )


def check_target(path: Path, *, overwrite: bool = False) -> None:
    """Whether `write_setting` could write there whatever is chosen, said before the choosing.

    Raises:
        ConfigError: the file cannot be read or written, or has one of the keys and `overwrite` is false.
    """
    try:
        check_writable(path.absolute().parent)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from error
    if not path.exists():
        return
    config = Config.load(path)
    for name in (field.name for field in fields(Setting)):
        section = _SECTIONS.get(name, "ranking")
        value = getattr(getattr(config, section), name)
        if value != getattr(getattr(Config(), section), name) and not overwrite:
            raise ConfigError(f"{path}: {name} is {value!r} already; --overwrite puts what is chosen in its place")


def write_setting(setting: Setting, path: Path, *, overwrite: bool = False) -> None:
    """Puts the setting into a `qtie.toml`, whole or not at all; all else that the file says stays, comments too.

    Args:
        setting: what was chosen.
        path: the file; made where it is missing.
        overwrite: whether a key that is there with another value may be replaced.

    Raises:
        ConfigError: the file cannot be read or written, or has a key of the setting with another value.
        MissingExtraError: tomlkit is not installed.
    """
    tomlkit = require("tomlkit", extra="bench")
    if path.exists():
        Config.load(path)  # says what is wrong with the file as it is
    try:
        record = tomlkit.parse(path.read_text("utf-8-sig")) if path.exists() else tomlkit.document()
        for name, value in setting.to_dict().items():
            section = record.setdefault(_SECTIONS.get(name, "ranking"), tomlkit.table())
            if section.get(name, value) != value and not overwrite:
                raise ConfigError(
                    f"{path}: {name} is {section[name]!r} already; --overwrite puts {value!r} in its place"
                )
            section[name] = value
        text = tomlkit.dumps(record)
        Config.parse(text, source=str(path))
        write_whole(path, lambda file: file.write(text.encode()))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from error


def _in_force(config: Config, retriever: Retriever) -> Setting:
    ranking = config.ranking
    is_named = ranking.normalization not in (None, "auto")
    return Setting(
        temporal_weight=defaults.TEMPORAL_WEIGHT if ranking.temporal_weight is None else ranking.temporal_weight,
        kernel=ranking.kernel or "graded",
        normalization=str(ranking.normalization) if is_named else retriever.normalization,
        missing=config.documents.missing,
        dense_weight=retriever.dense_weight if isinstance(retriever, HybridRetriever) else None,
    )


def _tops(
    dataset: Dataset, retriever: Retriever, asked: Sequence[TemporalIntent], in_force: Setting
) -> Iterator[tuple[Setting, Top]]:
    """Each setting with the ten best documents of each query; a preference here chooses among all documents."""
    given = Pool(dataset.documents, whole_query=reads_time(retriever))
    pools = {"estimate": Pool(with_text_times(dataset).documents)}
    calibrations = dict.fromkeys((in_force.normalization, *_CALIBRATIONS[retriever.normalization]))
    weights = dict.fromkeys((in_force.temporal_weight, *_WEIGHTS))
    temporal = {
        (missing, kernel): [
            temporal_scores(intent, pools.get(missing, given).columns_for(intent), kernel=kernel, missing=missing)
            for intent in asked
        ]
        for missing, kernel in product(dict.fromkeys((in_force.missing, *_MISSING)), KERNELS)
    }
    for dense_weight, semantic in _semantic(retriever, list(map(given.semantic_query, asked)), in_force):
        for calibration in calibrations:
            normalized = [normalize(scores, calibration) for scores in semantic]
            for (missing, kernel), weight in product(temporal, weights):
                setting = Setting(
                    temporal_weight=weight, kernel=kernel, normalization=calibration, missing=missing,
                    dense_weight=dense_weight,
                )  # fmt: skip
                yield setting, _top(semantic, normalized, temporal[missing, kernel], weight, given)


def _top(semantic: Scores, normalized: Sequence[Scores], temporal: Sequence[Scores], weight: float, pool: Pool) -> Top:
    top = np.full((len(semantic), _DEPTH), -1, dtype=np.int32)
    for row, (given, own, timed) in enumerate(zip(semantic, normalized, temporal, strict=True)):
        order = pool.order(product_of_experts(own, timed, temporal_weight=weight), given, k=_DEPTH)
        top[row, : len(order)] = order
    return top


def _semantic(retriever: Retriever, texts: Sequence[str], in_force: Setting) -> Iterator[tuple[float | None, Scores]]:
    """By mixture of a hybrid, the retriever's scores, shape (n_queries, n_docs)."""
    if not isinstance(retriever, HybridRetriever):
        yield None, retriever.batch_scores(texts)
        return
    before = retriever.dense_weight
    try:
        ends = []
        for retriever.dense_weight in (0.0, 1.0):  # the mixture is linear in its weight
            ends.append(retriever.batch_scores(texts))
    finally:
        retriever.dense_weight = before
    for weight in dict.fromkeys((in_force.dense_weight or 0.0, *_DENSE_WEIGHTS)):
        yield weight, (1 - weight) * ends[0] + weight * ends[1]


def _text(setting: Setting) -> str:
    return ", ".join(f"{name} {value}" for name, value in setting.to_dict().items())
