"""From a query and candidates to an explained ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from qtie import defaults
from qtie.config import Config, MissingPolicy, Mode
from qtie.document import Document
from qtie.errors import ConfigError, DocumentError
from qtie.fusion import FUSIONS
from qtie.intent import IntentExtractor, TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval
from qtie.kernels import KERNELS, Grading, Scores
from qtie.normalization import NORMALIZATIONS, guess_normalization, normalize, on_topic
from qtie.ordering import best_first, id_ranks, places
from qtie.ranking import RankedDocument, Ranking
from qtie.temporal_relevance import ComparedTime, compared_times, outside_documents, temporal_scores, undated_documents
from qtie.text_times import asked_facets, with_estimated_time, with_text_facets
from qtie.time_columns import TimeColumns

__all__ = ["FusedScores", "RankedDocument", "Ranking", "TemporalReranker", "tightened"]

_DEFAULT = Config()
Value = TypeVar("Value")


class FusedScores(NamedTuple):
    """The scores of all candidates, each of shape (n_docs,)."""

    fused: Scores
    """What the ranking is sorted by, as the fusion gives it; higher is better."""
    semantic: Scores
    """S_sem, in (0, 1]."""
    temporal: Scores
    """S_temp, in (0, 1]."""
    kept: NDArray[np.bool_]
    """False for documents that strict mode or `missing="drop"` removes."""

    @property
    def ranked_by(self) -> Scores:
        """What the kept candidates are ordered by; -inf for the others, which are not ranked."""
        return np.where(self.kept, self.fused, -np.inf)


class TemporalReranker:
    """Re-ranks candidates by how well both their topic and their time fit the query.

    Args:
        extractor: reads the time that a query asks for; by default the English grammar.
        temporal_weight: w, in [0, 1]; 0 keeps the semantic order, 1 ranks by time alone.
        fusion: a name in `qtie.fusion.FUSIONS`.
        normalization: what the candidates' scores are, a name in `qtie.normalization.NORMALIZATIONS`, or "auto".
        kernel: a name in `qtie.kernels.KERNELS`.
        missing: what a document without a time gets: "neutral" a score between fitting and not, "penalize" a low one,
            "drop" no place, "estimate" a time read from its text.
        mode: "soft": a wrong time lowers a document; "strict": it removes it.
        grading: the shape of the temporal score.
        config: where mappings keep their times, how queries are read, and what of the above is not given here.

    Raises:
        ConfigError: an unknown name, or a weight outside [0, 1].

    Example:
        >>> class Stub:
        ...     def extract(self, query, *, reference_date=None):
        ...         year = TemporalConstraint(interval=TimeInterval.year(2019), span=(9, 16))
        ...         return TemporalIntent(query=query, constraints=(year,))
        >>> documents = [
        ...     {"_id": "a", "text": "Results of 2017", "timestamp": "2017", "score": 0.9},
        ...     {"_id": "b", "text": "Results of 2019", "timestamp": "2019", "score": 0.8},
        ... ]
        >>> [ranked.doc_id for ranked in TemporalReranker(Stub()).rank("results in 2019", documents)]
        ['b', 'a']
    """

    def __init__(
        self,
        extractor: IntentExtractor | None = None,
        *,
        temporal_weight: float | None = None,
        fusion: str | None = None,
        normalization: str | None = None,
        kernel: str | None = None,
        missing: MissingPolicy | None = None,
        mode: Mode | None = None,
        grading: Grading | None = None,
        config: Config = _DEFAULT,
    ) -> None:
        said = config.ranking
        temporal_weight = _first(temporal_weight, said.temporal_weight, defaults.TEMPORAL_WEIGHT)
        fusion = _first(fusion, said.fusion, "product_of_experts")
        normalization = _first(normalization, said.normalization, "auto")
        kernel = _first(kernel, said.kernel, "graded")
        missing, mode = missing or config.documents.missing, mode or said.mode
        _check_name("fusion", fusion, FUSIONS)
        _check_name("normalization", normalization, ["auto", *NORMALIZATIONS])
        _check_name("kernel", kernel, KERNELS)
        _check_name("missing", missing, get_args(MissingPolicy))
        _check_name("mode", mode, get_args(Mode))
        if not 0 <= temporal_weight <= 1:
            raise ConfigError(f"temporal_weight must lie in [0, 1], not {temporal_weight}")
        self.extractor = extractor or _default_extractor(config)
        self.temporal_weight, self.fusion, self.normalization = temporal_weight, fusion, normalization
        self.kernel, self.mode, self.config = kernel, mode, config
        self.missing: MissingPolicy = missing
        self.grading = grading or Grading()

    @classmethod
    def from_config(cls, config: Config, *, extractor: IntentExtractor | None = None) -> "TemporalReranker":
        """The reranker that a `qtie.toml` describes."""
        return cls(extractor, config=config)

    def rank(
        self,
        query: str,
        documents: Sequence[Document | Mapping[str, Any] | str],
        *,
        scores: Sequence[float] | None = None,
        reference_date: date | None = None,
        intent: TemporalIntent | None = None,
        interval: TimeInterval | None = None,
        k: int | None = None,
    ) -> Ranking:
        """The candidates in the order of their fused scores, each with its reasons; the input stays as it is.

        For an atemporal query the candidates come back in the order they were given, with the scores they had.
        Otherwise equal scores are ordered by semantic score, then by doc_id, so the order of scored input
        does not matter. Under the product of experts the reported score is the weighted geometric mean
        S_sem^(1−w) · S_temp^w, the exponential of the fused one, in (0, 1].

        Args:
            query: as the user asked it.
            documents: the candidates: documents, mappings (see `Document.from_record`) or bare texts, whose ids are
                their positions from 0.
            scores: the retriever's or an earlier reranker's, one a candidate, higher is better; by default those
                that the documents carry. Without any, candidates are taken to be in order, best first.
            reference_date: the day of asking, what "last year" counts from.
            intent: the query's, where it is known already; the extractor is then not asked.
            interval: days that the caller asks for; what the query says can only tighten it.
            k: how many to return; by default all.

        Raises:
            ConfigError: k is not positive.
            DocumentError: a candidate that cannot be read, or scores that are missing or not finite.
        """
        _check_asked(query, reference_date, interval)
        if k is not None and k < 1:
            raise ConfigError(f"k must be at least 1, not {k}")
        candidates = [self._document(document, str(position)) for position, document in enumerate(documents)]
        given = _given_scores(candidates, scores)
        if intent is None:
            intent = self.extractor.extract(query, reference_date=reference_date)
        if interval is not None:
            intent = tightened(intent, interval)
        if not intent.is_temporal:
            return _unchanged(candidates, given, intent, k)
        facets = asked_facets(intent, reference_date=reference_date)
        columns = TimeColumns.from_documents(
            [with_text_facets(document, facets, options=intent.options) for document in candidates]
        )
        tie_break = id_ranks(candidates)
        if given is None:
            semantic, normalization = -np.arange(1.0, len(candidates) + 1), "rank"
        else:
            semantic, normalization = given, self._normalization(given)
        return self.ranking(
            intent, candidates, semantic, columns,
            normalization=normalization, tie_break=tie_break, reference_date=reference_date, k=k,
        )  # fmt: skip

    def ranking(
        self,
        intent: TemporalIntent,
        candidates: Sequence[Document],
        semantic: Scores,
        columns: TimeColumns,
        *,
        normalization: str,
        tie_break: NDArray[np.intp],
        reference_date: date | None = None,
        k: int | None = None,
        n_documents: int | None = None,
        fused: FusedScores | None = None,
    ) -> Ranking:
        """`rank` for candidates whose columns are built already; the intent must be temporal.

        Args:
            intent: what the query asks for.
            candidates: n documents.
            semantic: shape (n,), as the retriever gave them.
            columns: the times of the same documents.
            normalization: what `semantic` holds.
            tie_break: shape (n,), each document's place by doc_id.
            reference_date: the day of asking; by default the intent's.
            k: how many to return; by default all.
            n_documents: how many documents the candidates are the best of; by default there are no others.
            fused: what `fuse` gives for the same, where it is known already.
        """
        result = fused or self.fuse(
            intent, semantic, columns,
            normalization=normalization, reference_date=reference_date, n_documents=n_documents,
        )  # fmt: skip
        order = best_first(result.ranked_by, semantic, tie_break, k=k)
        before = places(order, semantic, tie_break)
        compared = compared_times(intent, columns, order, reference_date=reference_date)
        ranked = self._ranked(candidates, order, before, result, compared)
        notes = self._notes(undated_documents(intent, columns, reference_date=reference_date), result.kept)
        return Ranking(ranked, intent, self._method(normalization), notes)

    def fuse(
        self,
        intent: TemporalIntent,
        semantic: Scores,
        columns: TimeColumns,
        *,
        normalization: str | None = None,
        reference_date: date | None = None,
        n_documents: int | None = None,
    ) -> FusedScores:
        """The scores of `rank` as arrays, for whole corpora whose columns are built once.

        Args:
            intent: what the query asks for; a temporal one.
            semantic: shape (n_docs,), as the retriever gave them.
            columns: the times of the same documents.
            normalization: what `semantic` holds; by default the reranker's.
            reference_date: the day of asking; by default the intent's.
            n_documents: how many documents these are the best of; by default there are no others.
        """
        normalized = normalize(semantic, normalization or self.normalization, n_documents=n_documents)
        temporal = temporal_scores(
            intent,
            columns,
            kernel=self.kernel,
            missing=self.missing,
            reference_date=reference_date,
            grading=self.grading,
            on_topic=on_topic(normalized),
        )
        fused = FUSIONS[self.fusion](normalized, temporal, temporal_weight=self.temporal_weight)
        kept = np.ones(columns.n_docs, dtype=np.bool_)
        if self.mode == "strict":
            kept &= ~outside_documents(intent, columns, reference_date=reference_date)
        if self.missing == "drop":
            kept &= ~undated_documents(intent, columns, reference_date=reference_date)
        return FusedScores(fused, normalized, temporal, kept)

    def _document(self, document: Document | Mapping[str, Any] | str, position: str) -> Document:
        if isinstance(document, str):
            document = Document.from_text(document, position, config=self.config)
        elif isinstance(document, Mapping):
            document = Document.from_record(document, doc_id=position, config=self.config)
        elif not isinstance(document, Document):
            raise DocumentError(f"candidate {position}: expected a Document, mapping or text, got {document!r}")
        return with_estimated_time(document, options=self.config.intent) if self.missing == "estimate" else document

    def _ranked(
        self,
        candidates: Sequence[Document],
        order: NDArray[np.intp],
        before: NDArray[np.intp],
        result: FusedScores,
        compared: list[ComparedTime],
    ) -> tuple[RankedDocument, ...]:
        fused = result.fused[order]
        scores = np.exp(fused) if self.fusion == "product_of_experts" else fused
        columns = (scores, result.semantic[order], result.temporal[order], before)
        rows = zip(order.tolist(), compared, *(column.tolist() for column in columns), strict=True)
        return tuple(
            RankedDocument(
                rank=rank,
                document=candidates[index],
                score=score,
                semantic_score=semantic,
                temporal_score=temporal,
                time=time.time,
                relation=time.relation,
                rank_before=rank_before,
            )
            for rank, (index, time, score, semantic, temporal, rank_before) in enumerate(rows, start=1)
        )

    def _normalization(self, given: Scores) -> str:
        return guess_normalization(given) if self.normalization == "auto" else self.normalization

    def _method(self, normalization: str) -> str:
        w = self.temporal_weight
        formulas = {
            "product_of_experts": f"S_sem^{1 - w:g} · S_temp^{w:g}",
            "weighted_sum": f"{1 - w:g} · S_sem + {w:g} · S_temp",
        }
        formula = formulas.get(self.fusion, f"{self.fusion}, temporal weight {w:g}")
        return f"score = {formula}; normalization {normalization}, kernel {self.kernel}, {self.mode}"

    def _notes(self, undated: NDArray[np.bool_], kept: NDArray[np.bool_]) -> tuple[str, ...]:
        n_undated, n_outside = int(undated.sum()), int((~kept & ~undated).sum())
        notes = [f"{n_undated} without a time: {self.missing}"] if n_undated else []
        return tuple(notes + ([f"{n_outside} outside the asked time: removed"] if n_outside else []))


def tightened(intent: TemporalIntent, interval: TimeInterval) -> TemporalIntent:
    """The intent within the caller's interval: what the query says of any time is cut to it, or gives way to it.

    Constraints on other targets stay, and must hold as well.

    Example:
        >>> said = TemporalConstraint(interval=TimeInterval.parse("2015/.."))
        >>> intent = TemporalIntent(query="since 2015", constraints=(said,))
        >>> str(tightened(intent, TimeInterval.years(2010, 2019)).interval)
        '2015-01-01/2019-12-31'
    """
    within: list[TemporalConstraint] = []
    others: list[TemporalConstraint] = []
    for said in intent.constraints:
        if said.target != "any" or said.negated or said.interval is None:
            others.append(said)
        elif said.relation != "intersects":
            # A relation is asked of the validity; there it is a further condition, not an alternative to the interval.
            others.append(replace(said, target="validity"))
        elif shared := said.interval.intersection(interval):
            within.append(replace(said, interval=shared))
    caller = TemporalConstraint(interval=interval, raw=interval, granularity=interval.granularity, rule="caller")
    return replace(intent, constraints=(*(within or [caller]), *others))


def _given_scores(candidates: list[Document], scores: Sequence[float] | None) -> Scores | None:
    """The candidates' scores, None where none has one."""
    values = [document.score for document in candidates] if scores is None else list(scores)
    if len(values) != len(candidates):
        raise DocumentError(f"{len(candidates)} candidates, but {len(values)} scores")
    missing = [position for position, value in enumerate(values) if value is None]
    if len(missing) == len(values):
        return None
    if missing:
        raise DocumentError(f"candidate {missing[0]} has no score while others have one; give all or none")
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DocumentError(f"scores must be numbers: {error}") from error
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise DocumentError("scores must be finite numbers, one a candidate")
    return numbers


def _unchanged(candidates: list[Document], given: Scores | None, intent: TemporalIntent, k: int | None) -> Ranking:
    """The candidates as they came, with the scores they had."""
    scores = normalize(-np.arange(1.0, len(candidates) + 1), "rank") if given is None else given
    order = np.arange(len(candidates))[:k]
    compared = compared_times(intent, TimeColumns.from_documents(candidates), order)
    return Ranking(
        tuple(
            RankedDocument(
                rank=index + 1,
                document=candidates[index],
                score=float(scores[index]),
                semantic_score=float(scores[index]),
                temporal_score=1.0,
                time=compared[index].time,
                relation="unknown",
                rank_before=index + 1,
            )
            for index in order.tolist()
        ),
        intent,
    )


def _default_extractor(config: Config) -> IntentExtractor:
    from qtie.rewriting.rewriters import resolving  # the rules take a while to compile, and a caller's own needs none
    from qtie.tie.extractors import make_extractor

    return resolving(make_extractor(options=config.intent), config)


def _first(given: Value | None, configured: Value | None, default: Value) -> Value:
    return given if given is not None else configured if configured is not None else default


def _check_asked(query: object, reference_date: object, interval: object) -> None:
    """Refuse what is of another type, before anything is read."""
    if not isinstance(query, str):
        raise ConfigError(f"the query must be a text, not {query!r}")
    if reference_date is not None and not isinstance(reference_date, date):
        raise ConfigError(f"reference_date must be a datetime.date, not {reference_date!r}")
    if interval is not None and not isinstance(interval, TimeInterval):
        raise ConfigError(f"interval must be a TimeInterval, such as TimeInterval.parse({str(interval)!r})")


def _check_name(kind: str, name: str, choices: Sequence[str] | Mapping[str, object]) -> None:
    if name not in choices:
        raise ConfigError(f"unknown {kind} {name!r}; one of {', '.join(choices)}")
