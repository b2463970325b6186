"""What the clauses of a question say of facts: whom they name, in which roles, and the words for the predicate."""

import re
from collections.abc import Sequence

from qtie.retrieval.encoders import Encoder
from qtie.tkg.linking import EntityLinker, Mention
from qtie.tkg.matching import Sought
from qtie.tkg.relations import RelationMatcher
from qtie.tkg.roles import ASKED, Clause, Place, Role, roles
from qtie.tkg.store import FactStore

__all__ = ["ClauseReader", "is_elliptical"]

_FILLERS = re.compile(
    r"""(?ix)\b(?:who|whom|whose|which|what|when|did|do|does|the|a|an|so|too|also|it|that|time|exactly|both|please|name
    |list|one|tell\ me|country|countries|person|people|entity|entities|party|parties|actor|organization|organisation
    |group|figure|body|side|was|were|is|are|been|be|being|has|have|had|happened|occurred|took\ place|take\ place|happen
    |occur|by|again|very|only|you|know)\b"""
)
"""Words that say nothing of a predicate."""


def is_elliptical(event: Sought) -> bool:
    """Whether an event is named by one entity alone, so that the rest is to be taken from the main clause."""
    return len(event.mentions) == 1 and not event.words


class ClauseReader:
    """Reads clauses in the terms of a store.

    Args:
        store: names the entities and predicates.
        encoder: compares words with predicates; None: by shared words alone.
    """

    def __init__(self, store: FactStore, encoder: Encoder | None) -> None:
        index = store.indexes.get("fks")
        known = index.phrases if index is not None and encoder is not None else None
        self._linker = EntityLinker(store.entities, store.n_facts_of)
        self._relations = RelationMatcher(store.predicates, phrases=store.phrases, encoder=encoder, vectors=known)

    def link(self, text: str, *, masked: Sequence[tuple[int, int]]) -> list[Mention]:
        """The entities that a text names."""
        return self._linker.link(text, masked=masked)

    def read(
        self,
        text: str,
        mentions: Sequence[Mention],
        *,
        removed: Sequence[tuple[int, int]],
        asked: tuple[int, int] | None,
    ) -> Sought:
        """What the clause says that is left of a text without the `removed` characters."""
        kept = text
        for start, end in removed:
            kept = kept[:start] + " " * (end - start) + kept[end:]
        places = [Place(n, mention.span) for n, mention in enumerate(mentions)]
        if asked is not None and kept[slice(*asked)].strip():
            places.append(Place(ASKED, asked))
        places.sort(key=lambda place: place.span)
        words = kept
        for place in places:
            start, end = place.span
            words = words[:start] + " " * (end - start) + words[end:]
        words = " ".join(_FILLERS.sub(" ", re.sub(r"[’']s\b|[^\w\s-]", " ", words)).split())
        return Sought(
            mentions=tuple(mentions),
            roles=roles(Clause(kept, tuple(places))),
            words=words,
            relations=self._relations.probabilities(words),
        )

    def completed(self, event: Sought, main: Sought) -> Sought:
        """An event that is named by one entity alone, as what the main clause says of the asked one.

        "After the Danish ministry, who visited Iraq?" means the ministry's visit to Iraq.
        """
        if not is_elliptical(event):
            return event
        role = main.answer_role
        kept: dict[int, Role] = {n + 1: given for n, given in main.roles.items() if n != ASKED}
        return Sought(
            mentions=(*event.mentions, *main.mentions),
            roles={0: role, **kept},
            words=main.words,
            relations=main.relations,
        )
