"""What the clauses of a question say of facts: whom they name, in which roles, and the words for the predicate."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qtie.retrieval.encoders import Encoder
from qtie.tkg.asking import blanked
from qtie.tkg.linking import EntityLinker, Mention
from qtie.tkg.matching import Sought
from qtie.tkg.relations import RelationMatcher
from qtie.tkg.roles import ASKED, Clause, Place, Role, is_two_way, roles
from qtie.tkg.store import FactStore

__all__ = ["ClauseReader", "is_elliptical"]

_FILLERS = re.compile(
    r"""(?ix)\b(?:who|whom|whose|which|what|when|did|do|does|the|a|an|so|too|also|it|that|time|exactly|both|please|name
    |list|one|tell\ me|there|ever|country|countries|person|people|entity|entities|party|parties|actor|organization
    |organisation|group|figure|body|side|was|were|is|are|been|be|being|has|have|had|happened|occurred|took\ place
    |take\ place|happen|occur|by|again|very|only|you|know)\b"""
)
"""Words that say nothing of a predicate."""


_HOW_MANY = re.compile(r"(?i)\b(?:how|many|number|of)\b")
_IS_OF = re.compile(
    r"(?i)\b(?:is|was|are|were|be|been|being|become|became|becoming|as|many)\s+"
    r"(?:(?:as|the|an?|also|not|ever|still|already|number\s+of|first|last|next|previous|former|current)\s+)*([\w\s-]+?)\s+of\s+(?:the\s+)?$"
)
"""The noun that one is, and that a name owns: "was king of"."""
_SURE = 0.65
"""A predicate that fits the words this well is meant."""


def _bare(words: str) -> str:
    """The words without those that say nothing of a predicate."""
    return " ".join(_FILLERS.sub(" ", re.sub(r"[’']s\b|[^\w\s-]", " ", words)).split())


def _noun(name: str) -> str:
    """A predicate's name without "was" and "of"."""
    return re.sub(r"(?i)^(?:(?:is|was|were|had|became|served|as|the|an?)\s+)+|\s+of$", "", name)


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
        words = _bare(words)
        fits = self._relations.fits(words)
        is_noun = False
        if asked is not None and not fits.any():  # "how many mayors has X had": of which side X is, "had" does not say
            words = f"{_bare(_HOW_MANY.sub(' ', kept[slice(*asked)]))} {words}".strip()
            fits = self._relations.fits(words)
            is_noun = bool(fits.any())
        unnamed = blanked(kept, [mention.span for mention in mentions])
        leading = [unnamed[: mention.span[0]] for mention in mentions]
        return Sought(
            mentions=tuple(mentions),
            roles={} if is_noun or self._is_two_way(leading, fits) else roles(Clause(kept, tuple(places))),
            words=words,
            relations=self._relations.probabilities(words),
            fits=fits,
        )

    def knows(self, words: str) -> bool:
        """Whether a predicate of the graph is surely meant by words."""
        return bool(self._relations.fits(words).max(initial=0.0) >= _SURE)

    def _is_two_way(self, leading: Sequence[str], fits: NDArray[np.float64]) -> bool:
        """Whether graphs may hold the predicate either way, whatever the words' order.

        "The king of X" is a fact of X (king: Y) or of Y (king of: X).

        Args:
            leading: the words before each name.
            fits: of the predicates.
        """
        likely = [self._relations.names(n) for n in np.flatnonzero(fits >= _SURE).tolist()]
        if any(is_two_way(label) for label, *_ in likely):
            return True
        nouns = [led[1] for words in leading if (led := _IS_OF.search(words))]
        names = [name for group in likely for name in group] if nouns else []
        return any(re.fullmatch(rf"(?i){re.escape(_noun(name))}s?", noun.strip()) for noun in nouns for name in names)

    def completed(self, event: Sought, main: Sought) -> Sought:
        """An event that is named by one entity alone, as what the main clause says of the asked one.

        "After the Danish ministry, who visited Iraq?" means the ministry's visit to Iraq.
        """
        if not is_elliptical(event):
            return event
        if not main.roles:
            return replace(main, mentions=(*event.mentions, *main.mentions))
        role = main.answer_role
        kept: dict[int, Role] = {n + 1: given for n, given in main.roles.items() if n != ASKED}
        return Sought(
            mentions=(*event.mentions, *main.mentions),
            roles={0: role, **kept},
            words=main.words,
            relations=main.relations,
            fits=main.fits,
        )
