"""Many facts in columns, with two indexes of their sense, kept in a folder: what TimeR4 calls FKS and TKS.

A fact's vector is the sum of those of its parts, scaled to length 1: v = (s + p + o)/|s + p + o| in FKS, whose encoder
knows nothing of time, and (s + p + o + t)/|…| in TKS, whose encoder was trained to. So each distinct label and date is
encoded once, and a cosine with every fact costs one product with the labels and a look-up.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.allen import Days
from qtie.errors import DocumentError
from qtie.interval import TimeInterval
from qtie.retrieval.encoders import Encoder
from qtie.time_columns import FAR_DAYS, TimeColumns, Times
from qtie.tkg.fact import Fact, Side, side_of
from qtie.tkg.relations import RelationMatcher, shipped_phrases

__all__ = ["FactIndex", "FactStore"]

Ids = NDArray[np.intp]
Vectors = NDArray[np.float32]
Scores = NDArray[np.float64]

SCHEMA_VERSION = 1
_INDEX_PARTS = ("entities", "predicates", "phrases", "dates", "date_of", "lengths")


@dataclass(frozen=True, eq=False, kw_only=True)
class FactStore:
    """Facts as columns, in the order they were given.

    Example:
        >>> year = TimeInterval.year(2012)
        >>> fact = Fact(subject="Iran", predicate="Consult", object="Iraq", interval=year, fact_id="f1")
        >>> store = FactStore.of([fact])
        >>> store.entities, store.fact(0) == fact
        (('Iran', 'Iraq'), True)
    """

    entities: tuple[str, ...]
    predicates: tuple[str, ...]
    fact_ids: tuple[str, ...]
    triples: Ids
    """Shape (n_facts, 3): the indices of subject, predicate and object."""
    start: Days
    """Shape (n_facts,): the first day; -inf where open, NaN where the fact is undated."""
    end: Days
    """Shape (n_facts,): the last day; inf where open."""
    lasting: NDArray[np.bool_]
    phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further words for predicates, by their label in lower case."""
    indexes: Mapping[str, "FactIndex"] = field(default_factory=dict)
    """By name: "fks" and, where there is a time-aware encoder, "tks"."""

    @classmethod
    def of(cls, facts: Iterable[Fact], *, phrases: Mapping[str, tuple[str, ...]] | None = None) -> "FactStore":
        """The store of some facts, without indexes.

        Args:
            phrases: words for predicates, by their label in lower case; by default those that come with the package.
        """
        known = shipped_phrases() if phrases is None else phrases
        entities: dict[str, int] = {}
        predicates: dict[str, int] = {}
        ids, triples, bounds, lasting = [], [], [], []
        for fact in facts:
            subject = entities.setdefault(fact.subject, len(entities))
            predicate = predicates.setdefault(fact.predicate, len(predicates))
            triples.append((subject, predicate, entities.setdefault(fact.object, len(entities))))
            ids.append(fact.fact_id)
            bounds.append(_bounds(fact.interval))
            lasting.append(fact.lasting)
        days = np.array(bounds, dtype=np.float64).reshape(-1, 2)
        return cls(
            entities=tuple(entities),
            predicates=tuple(predicates),
            fact_ids=tuple(ids),
            triples=np.array(triples, dtype=np.intp).reshape(-1, 3),
            start=days[:, 0].copy(),
            end=days[:, 1].copy(),
            lasting=np.array(lasting, dtype=np.bool_),
            phrases={label: known[label] for label in map(str.casefold, predicates) if label in known},
        )

    def __len__(self) -> int:
        return len(self.fact_ids)

    @property
    def n_open_ended(self) -> int:
        """How many of the facts still go on."""
        return int(np.isposinf(self.end).sum())

    def fact(self, n: int) -> Fact:
        """The fact at that place."""
        subject, predicate, other = (int(each) for each in self.triples[n])
        return Fact(
            subject=self.entities[subject],
            predicate=self.predicates[predicate],
            object=self.entities[other],
            interval=self.interval(n),
            fact_id=self.fact_ids[n],
            lasting=bool(self.lasting[n]),
        )

    def interval(self, n: int) -> TimeInterval | None:
        """The days of the fact at that place; None where it is undated."""
        start, end = float(self.start[n]), float(self.end[n])
        if np.isnan(start):
            return None
        return TimeInterval(None if start == -np.inf else int(start), None if end == np.inf else int(end))

    @cached_property
    def with_subject(self) -> list[Ids]:
        """For each entity the places of the facts that it is the subject of, ascending."""
        return _places(self.triples[:, 0], len(self.entities))

    @cached_property
    def with_object(self) -> list[Ids]:
        """For each entity the places of the facts that it is the object of, ascending."""
        return _places(self.triples[:, 2], len(self.entities))

    @cached_property
    def n_facts_of(self) -> list[int]:
        """In how many facts each entity stands."""
        return [len(a) + len(b) for a, b in zip(self.with_subject, self.with_object, strict=True)]

    def dated_by(self, side: Side | None) -> "FactStore":
        """The same, but each fact that lasts is of the date of its start or end, undated where that is open."""
        if side is None:
            return self
        return self._begun if side == "start" else self._ended

    @cached_property
    def _begun(self) -> "FactStore":
        return self._at_side("start")

    @cached_property
    def _ended(self) -> "FactStore":
        return self._at_side("end")

    def _at_side(self, side: Side) -> "FactStore":
        start, end = self.start.copy(), self.end.copy()
        for n in np.flatnonzero(self.lasting & ~np.isnan(self.start)).tolist():
            interval = self.interval(n)
            start[n], end[n] = _bounds(interval and side_of(interval, side))
        return replace(self, start=start, end=end, lasting=np.zeros_like(self.lasting))

    def times(self, facts: Ids) -> TimeColumns:
        """The times of some facts, as the temporal score takes them."""
        facets = {}
        dated = ~np.isnan(self.start[facts])
        for facet, is_lasting in (("timestamp", False), ("validity", True)):
            rows = np.flatnonzero(dated & (self.lasting[facts] == is_lasting))
            if len(rows):
                facets[facet] = _times(self.start[facts[rows]], self.end[facts[rows]], rows, len(facts), is_lasting)
        return TimeColumns(len(facts), facets)

    def with_index(self, name: str, encoder: Encoder, *, encoder_name: str) -> "FactStore":
        """A copy with an index of that name; "tks" holds the dates too."""
        index = FactIndex.of(self, encoder, encoder_name=encoder_name, with_dates=name == "tks")
        return replace(self, indexes={**self.indexes, name: index})

    def save(self, folder: Path | str) -> None:
        """Write the store to a folder: NumPy arrays, and last `store.json`, without which it is none.

        Raises:
            DocumentError: the folder cannot be written.
        """
        root = Path(folder)
        try:
            root.mkdir(parents=True, exist_ok=True)
            (root / "store.json").unlink(missing_ok=True)
            for name, array in self._arrays().items():
                np.save(root / f"{name}.npy", array, allow_pickle=False)
            (root / "store.part").write_text(json.dumps(self._about(), ensure_ascii=False), encoding="utf-8")
            (root / "store.part").replace(root / "store.json")
        except OSError as error:
            raise DocumentError(f"{folder}: cannot be written: {error.strerror or error}") from error

    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {
            "triples": self.triples.astype(np.int32),
            "days": np.stack([self.start, self.end], axis=1),
            "lasting": self.lasting,
        }
        for name, index in self.indexes.items():
            arrays.update({f"{name}_{part}": array for part, array in index.arrays().items()})
        return arrays

    def _about(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "n_facts": len(self),
            "entities": self.entities,
            "predicates": self.predicates,
            "fact_ids": self.fact_ids,
            "phrases": self.phrases,
            "indexes": {name: index.about() for name, index in self.indexes.items()},
        }

    @classmethod
    def load(cls, folder: Path | str) -> "FactStore":
        """The store that `save` wrote.

        Raises:
            DocumentError: there is none, it is damaged, or it was written in another format.
        """
        root = Path(folder)
        try:
            about = json.loads((root / "store.json").read_text(encoding="utf-8"))
            if about["schema_version"] != SCHEMA_VERSION:
                raise DocumentError(f"{folder}: a store of version {about['schema_version']}; index the facts again")
            triples, days, lasting = (_array(root, name) for name in ("triples", "days", "lasting"))
            store = cls(
                entities=tuple(about["entities"]),
                predicates=tuple(about["predicates"]),
                fact_ids=tuple(about["fact_ids"]),
                triples=triples.astype(np.intp),
                start=days[:, 0].copy(),
                end=days[:, 1].copy(),
                lasting=lasting,
                phrases={label: tuple(given) for label, given in about["phrases"].items()},
                indexes={name: FactIndex.load(root, name, given) for name, given in about["indexes"].items()},
            )
            if not len(store.fact_ids) == len(triples) == len(days) == len(lasting) == about["n_facts"]:
                raise ValueError("its parts are not of one length")
            return store
        except FileNotFoundError:
            raise DocumentError(f"{folder}: no store of facts; make one with qtie tkg index") from None
        except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError) as error:
            if isinstance(error, DocumentError):
                raise
            raise DocumentError(f"{folder}: damaged store of facts: {error}; index the facts again") from error


@dataclass(frozen=True, eq=False, kw_only=True)
class FactIndex:
    """The vectors of the labels and dates of a store, and the lengths of their sums."""

    encoder_name: str
    """As `load_encoder` takes it."""
    fingerprint: str
    entities: Vectors
    predicates: Vectors
    phrases: Vectors
    """Of what `RelationMatcher.texts` lists: the predicates and their phrases."""
    dates: Vectors
    """Shape (n_dates, n_dimensions); no rows in an index without time."""
    date_of: Ids
    """Shape (n_facts,): each fact's row of `dates`; -1 where it has none."""
    lengths: Days
    """Shape (n_facts,): |s + p + o (+ t)|."""

    @classmethod
    def of(cls, store: FactStore, encoder: Encoder, *, encoder_name: str, with_dates: bool) -> "FactIndex":
        """The index of a store under an encoder."""
        texts: dict[str, int] = {}
        date_of = np.full(len(store), -1, dtype=np.intp)
        if with_dates:
            for n in range(len(store)):
                text = _date_text(store, n)
                if text:
                    date_of[n] = texts.setdefault(text, len(texts))
        entities = encoder.encode_documents(list(store.entities))
        predicates = encoder.encode_documents(list(store.predicates))
        dates = encoder.encode_documents(list(texts))
        phrases = RelationMatcher(store.predicates, phrases=store.phrases, encoder=encoder).vectors
        assert phrases is not None  # there is an encoder
        return cls(
            encoder_name=encoder_name,
            fingerprint=encoder.fingerprint,
            entities=entities,
            predicates=predicates,
            phrases=phrases,
            dates=dates,
            date_of=date_of,
            lengths=_lengths(store, entities, predicates, dates, date_of),
        )

    def cosines(self, query: Vectors, triples: Ids, facts: Ids) -> Scores:
        """The cosines of a query's vector with some facts; shape (n_chosen,), in [-1, 1].

        Args:
            query: shape (n_dimensions,), of length 1.
            triples: those of the store.
            facts: places of the facts.
        """
        chosen = triples[facts]
        parts = self.entities @ query
        sums = parts[chosen[:, 0]] + (self.predicates @ query)[chosen[:, 1]] + parts[chosen[:, 2]]
        if len(self.dates):
            sums = sums + np.append(self.dates @ query, np.float32(0.0))[self.date_of[facts]]
        return np.asarray(np.clip(sums / self.lengths[facts], -1, 1), dtype=np.float64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is kept beside `about`."""
        return {part: getattr(self, part) for part in _INDEX_PARTS}

    def about(self) -> dict[str, str]:
        """What `store.json` says of it."""
        return {"encoder": self.encoder_name, "fingerprint": self.fingerprint}

    @classmethod
    def load(cls, root: Path, name: str, about: Mapping[str, str]) -> "FactIndex":
        """The index of that name in a store's folder."""
        arrays: dict[str, Any] = {part: _array(root, f"{name}_{part}") for part in _INDEX_PARTS}
        return cls(encoder_name=about["encoder"], fingerprint=about["fingerprint"], **arrays)


def _array(root: Path, name: str) -> NDArray[Any]:
    array: NDArray[Any] = np.load(root / f"{name}.npy", allow_pickle=False)
    return array


def _bounds(interval: TimeInterval | None) -> tuple[float, float]:
    if interval is None:
        return np.nan, np.nan
    return (
        -np.inf if interval.start is None else float(interval.start),
        np.inf if interval.end is None else float(interval.end),
    )


def _places(column: Ids, n: int) -> list[Ids]:
    order = np.argsort(column, kind="stable")
    return np.split(order, np.searchsorted(column[order], np.arange(1, n)))


def _times(start: Days, end: Days, doc: Ids, n_docs: int, lasting: bool) -> Times:
    far = np.inf if lasting else FAR_DAYS
    start, end = np.clip(start, -far, far), np.clip(end, -far, far)
    return Times(
        n_docs=n_docs,
        doc=doc,
        start=start,
        end=end,
        latest_start=start if lasting else end,
        earliest_end=end if lasting else start,
        lasting=np.full(len(start), lasting),
        confidence=np.ones(len(start)),
    )


def _date_text(store: FactStore, n: int) -> str:
    """A fact's time as `Fact.verbalized` words it."""
    fact = store.fact(n)
    return fact.verbalized.removeprefix(fact.statement).strip()


def _lengths(store: FactStore, entities: Vectors, predicates: Vectors, dates: Vectors, date_of: Ids) -> Days:
    lengths = np.empty(len(store))
    rows = np.concatenate([dates, np.zeros((1, entities.shape[1]), dtype=np.float32)])
    for at in range(0, len(store), 8192):
        chosen = store.triples[at : at + 8192]
        said = entities[chosen[:, 0]] + predicates[chosen[:, 1]] + entities[chosen[:, 2]]
        lengths[at : at + 8192] = np.linalg.norm(said + rows[date_of[at : at + 8192]], axis=1)
    return np.maximum(lengths, 1e-9)
