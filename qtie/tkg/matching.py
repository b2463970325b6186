"""Which facts a clause speaks of, time aside: those whose entities, their roles and predicate fit its words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qtie.tkg.linking import Mention
from qtie.tkg.predicate import PredicateReading
from qtie.tkg.roles import ASKED, Role
from qtie.tkg.store import FactStore, Ids, Scores

__all__ = ["Match", "Sought", "match_facts"]

_ROLE_DOUBT = 0.08
"""How likely an entity has the other role than its clause says."""
_RELATION_DOUBT = 0.02
"""How likely the predicate is another than the words say, spread over all predicates."""
_ABSENT = 1e-3
"""How likely a fact that lacks a named entity is meant all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What a clause says of a fact."""

    mentions: tuple[Mention, ...]
    roles: Mapping[int, Role]
    """By the index of a mention, and of `ASKED`."""
    words: str
    """Those that name the predicate."""
    relations: NDArray[np.float64]
    """Shape (n_predicates,): how likely each predicate is meant."""
    fits: NDArray[np.float64]
    """Shape (n_predicates,): how well each fits the words."""

    @property
    def answer_role(self) -> Role:
        """The role of what is asked for: said by the clause, else the one that no mention has."""
        if ASKED in self.roles:
            return self.roles[ASKED]
        return "subject" if "object" in self.roles.values() else "object"

    def reading(self, store: FactStore, fact: int) -> PredicateReading:
        """How its words stand to the predicate of the fact at that place."""
        return PredicateReading.of(self.words, store.predicates, fits=self.fits, read=int(store.triples[fact, 1]))


@dataclass(frozen=True, eq=False, slots=True)
class Match:
    """Facts with how well each fits what is sought."""

    facts: Ids
    """Places in the store, ascending."""
    scores: Scores
    """Shape (n_facts,), in (0, 1]."""
    answers_object: NDArray[np.bool_]
    """Shape (n_facts,): whether the answer is the fact's object, rather than its subject."""


def match_facts(store: FactStore, sought: Sought) -> Match:
    r"""The facts that hold a named entity, or all facts where none is named, and how well they fit.

    .. math:: S = P(r) \prod_m \max(e_m(s)\,P_m(s), e_m(o)\,P_m(o))

    P(r) is the predicate's probability relative to the likeliest one among these facts, e_m how well mention m fits the
    fact's subject or object (10^-3 where it is neither), and P_m the probability of that role.
    """
    linked = [(n, mention) for n, mention in enumerate(sought.mentions) if mention.entities]
    facts = _candidates(store, [mention for _, mention in linked])
    scores = _relation_scores(store, sought, facts)
    named_subject, named_object = np.full(len(facts), _ABSENT), np.full(len(facts), _ABSENT)
    for n, mention in linked:
        as_subject, as_object = _entity_scores(store, mention, facts)
        named_subject, named_object = np.maximum(named_subject, as_subject), np.maximum(named_object, as_object)
        role = sought.roles.get(n)
        doubt = 0.5 if role is None else _ROLE_DOUBT if role == "object" else 1 - _ROLE_DOUBT
        as_subject, as_object = as_subject * doubt, as_object * (1 - doubt)
        scores = scores * np.maximum(as_subject, as_object) / max(doubt, 1 - doubt)
    is_object = sought.answer_role == "object"
    answers_object = np.where(named_subject == named_object, is_object, named_subject > named_object)
    return Match(facts, scores, answers_object)


def _candidates(store: FactStore, mentions: Sequence[Mention]) -> Ids:
    if not mentions:
        return np.arange(len(store), dtype=np.intp)
    entities = {entity for mention in mentions for entity, _ in mention.entities}
    places = [column[entity] for entity in entities for column in (store.with_subject, store.with_object)]
    return np.unique(np.concatenate(places))


def _relation_scores(store: FactStore, sought: Sought, facts: Ids) -> Scores:
    spread = _RELATION_DOUBT / max(1, len(store.predicates))
    likely = (1 - _RELATION_DOUBT) * sought.relations + spread
    scores = likely[store.triples[facts, 1]]
    return np.asarray(scores / scores.max(initial=1e-12), dtype=np.float64)


def _entity_scores(store: FactStore, mention: Mention, facts: Ids) -> tuple[Scores, Scores]:
    fits = np.full(len(store.entities), _ABSENT)
    for entity, score in mention.entities:
        fits[entity] = score
    return fits[store.triples[facts, 0]], fits[store.triples[facts, 2]]
