"""What a name is in its sentence: who acts or what is acted upon, whose role one has, and where something is."""

import re
from dataclasses import dataclass

from qtie.rag.wording.answer_type import AnswerType
from qtie.rag.wording.holder import asked_role, is_held
from qtie.rag.wording.restated import converse_role
from qtie.rag.wording.roles import is_role
from qtie.rag.wording.sentences import Span
from qtie.rag.wording.spans import is_numbered
from qtie.rag.wording.words import content_words, is_agent, stem

__all__ = ["OTHER", "AskedSort", "acts", "is_place", "pronoun_of_actor", "pronoun_of_holder"]

_ACTS = re.compile(r"\W*who (?:(?:first|last|then|later|also|currently) )?(?P<verb>[^\W\d_]+)\b", re.IGNORECASE)
_LISTED = "is was are were be has had have did does do will would can could shall should may might must else"
_AUXILIARY = frozenset(_LISTED.split())
_BY = re.compile(r" (?:[^\W\d_]+ )?by\b")
_PASSIVE = re.compile(r"\b(?:was|were|is|are|been|being)(?: [^\W\d_]+)? $", re.IGNORECASE)
_AGENT_BEFORE = re.compile(r"\bby(?: the| an?)?(?: [^\W\d_A-Z][\w-]*){0,3} $")
_VERB = re.compile(r"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bas )\b[^\W\d_]+", re.IGNORECASE)
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_ROLE_OF = re.compile(r"\b(?P<role>[^\W\d_]+) (?:of|at|for|in)(?: the)? $")
_ASKS_PLACE = re.compile(r"\W*(?:where\b|(?:in|at|to|from) (?:which|what)\b)", re.IGNORECASE)
_ASKS_WHERE = re.compile(r"\W*(?:(?:and|so|from) )?where\b", re.IGNORECASE)
_PREPOSITIONS = "in at near to into from outside on along off opposite behind beside through via between above under"
_PLACED = re.compile(
    rf"\b(?:{'|'.join(_PREPOSITIONS.split())})(?: the)?(?P<between>(?: (?!of\b)[^\W\d_A-Z][\w-]*){{0,2}}(?: of)?) $",
    re.IGNORECASE,
)
_AT_WORK = re.compile(r"\b(?:work|play|stud|serv|teach|taught)", re.IGNORECASE)
_EMPLOYED = re.compile(r"\b(?:for|with)(?: the)? $")
_PRONOUN = re.compile(
    r"\b(?P<pronoun>he|she|they|it)(?: (?:had|has|have|also|then|later))? (?P<verb>[^\W\d_]+)", re.IGNORECASE
)
_OPENS = re.compile(r"(?:He|She)\b")
_GIVEN = re.compile(
    r"\b(?:sold|gave|given|lost|married|awarded|handed|left|belong(?:s|ed)?)\b(?:(?! (?:and|to) )[^.;])* to(?: the)? $"
)
_WITHIN = re.compile(r"\b(?:in|at|near|into|on|outside)(?: the)? $", re.IGNORECASE)
_SORT_BEFORE = re.compile(r"([^\W\d_]+) $")
_SORT_AFTER = re.compile(r", (?:the|a|an)\b(?P<words>(?: [^\W\d_A-Z][\w-]*){1,3})")
OTHER = -3.0
"""How far a name is of the sort asked for that certainly is not the one."""


@dataclass(frozen=True, slots=True)
class AskedSort:
    """What a question asks of a name: its sort, its number, and what the name is in its sentence."""

    question: str
    known: frozenset[str]
    """The question's content words."""
    counted: frozenset[str]
    """Those of them that ask for a thing by its number."""
    noun: str
    """The one of them that names the sort of thing; empty where none does."""
    sort: AnswerType
    called: frozenset[frozenset[str]] = frozenset()
    """The stems of each name that any of the texts calls by that noun."""

    @classmethod
    def of(cls, question: str, known: frozenset[str]) -> "AskedSort":
        """What that question asks of a name."""
        return cls(question, known, AnswerType.counted(question), AnswerType.noun(question), AnswerType.of(question))

    @property
    def is_place(self) -> bool:
        """Whether it asks where, which no name but a place answers."""
        return _ASKS_WHERE.match(self.question) is not None

    def fit(self, text: str, sentence: Span, name: Span) -> float:
        """From -3 for a name to which what is asked was done, to 1 for one of the asked kind, or after "in".

        Example:
            >>> text = "Ulm won the cup against Graz."
            >>> asked = AskedSort.of("Who won the cup?", frozenset({"win", "cup"}))
            >>> asked.fit(text, Span(0, len(text)), Span(24, 28))
            -3.0
        """
        words = text[slice(*name)]
        is_called = self.has_noun(text, sentence, name) or frozenset(content_words(words)) in self.called
        if is_called or is_numbered(words, self.known, self.counted):
            return 1.0
        if is_place(self.question, text, name):
            return 1.0
        if self._asks_who and _WITHIN.search(text, max(0, name.start - 12), name.start):
            return -1.0
        if (asked := asked_role(self.question)) and (held := is_held(asked, text, sentence, name)) is not None:
            return 1.0 if held else -1.0
        role = converse_role(self.question, text, sentence, name)
        actor = acts(self.question, text, sentence, name)
        if role is False or actor is False or _is_where_role_is(self.question, text, name):
            return OTHER
        if role or actor:
            return 1.0
        return self.sort.fit(words, of_holder=self.asks_holder)

    def has_noun(self, text: str, sentence: Span, name: Span) -> bool:
        """Whether the asked noun heads the name or stands beside it: "the storm Delia", "Delia, a storm"."""
        stems = set(content_words(text[slice(*name)]))
        if not self.noun or stems <= self.known:
            return False
        before, after = _SORT_BEFORE.search(text, sentence.start, name.start), _SORT_AFTER.match(text, name.end)
        beside = content_words(f"{before[1] if before else ''} {after['words'] if after else ''}")
        return self.noun in stems or self.noun in beside

    @property
    def _asks_who(self) -> bool:
        return self.sort.sort == "person"

    @property
    def asks_holder(self) -> bool:
        """Whether it asks who has a role."""
        return self._asks_who and any(map(is_role, re.findall(r"[^\W\d_]+", self.question)))

    def excludes(self, text: str, name: Span) -> bool:
        """Whether it asks where, and a name is not said to be a place."""
        return self.is_place and not is_place(self.question, text, name)


def pronoun_of_actor(question: str, text: str, sentence: Span) -> Span | None:
    """The pronoun of a sentence that does what a question asks who did; None where none does.

    Example:
        >>> text = "In 2018 they lost the final."
        >>> span = pronoun_of_actor("Who lost the final?", text, Span(0, len(text)))
        >>> span and text[slice(*span)]
        'they'
    """
    asked = _ACTS.match(question)
    if asked is None or asked["verb"].lower() in _AUXILIARY:
        return None
    acting = (match for match in _PRONOUN.finditer(text, *sentence) if stem(match["verb"]) == stem(asked["verb"]))
    return next((Span(*match.span("pronoun")) for match in acting), None)


def pronoun_of_holder(question: str, text: str, sentence: Span, *, is_alone: bool) -> Span | None:
    """The pronoun with which a sentence begins, where it says that this person has the asked role, or names no other
    (`is_alone`); else None.

    Example:
        >>> text = "She was mayor of Ulm until 2012."
        >>> pronoun_of_holder("Who was mayor in 2010?", text, Span(0, len(text)), is_alone=False)
        Span(start=0, end=3)
    """
    match, role = _OPENS.match(text, *sentence), asked_role(question)
    span = Span(*match.span()) if match else None
    is_holder = span and (is_alone or (role and is_held(role, text, sentence, span)))
    return span if is_holder else None


def acts(question: str, text: str, sentence: Span, name: Span) -> bool | None:
    """Whether a sentence says that the one named does what a question asks who does; None where it does not tell.

    In the active voice that one stands before the verb, and what follows it has it done to it; in the passive it
    follows "by".

    Example:
        >>> text = "Ulm won the cup against Graz."
        >>> names = [Span(text.index(name), text.index(name) + len(name)) for name in ("Ulm", "Graz")]
        >>> [acts("Who won the cup?", text, Span(0, len(text)), name) for name in names]
        [True, False]
    """
    asked = _ACTS.match(question)
    if asked is None or asked["verb"].lower() in _AUXILIARY:
        return None
    words = (word for word in _VERB.finditer(text, *sentence) if not is_agent(word[0]))
    verbs = [word for word in words if stem(word[0]) == stem(asked["verb"])]
    verb = min(verbs, key=lambda word: name.gap(Span(*word.span())), default=None)
    if verb is None or ":" in text[verb.end() : name.start]:  # "Cup winner: Ulm"
        return None
    is_after, following = name.start >= verb.end(), text[verb.end() : sentence.end]
    if _BY.match(text, verb.end()) or _PASSIVE.search(text, sentence.start, verb.start()):
        is_agent_of = is_after and _AGENT_BEFORE.search(text, verb.end(), name.start) is not None
        return is_agent_of or (None if is_after or " by " not in following else False)
    return False if is_after else (True if text[name.end : verb.start()].isspace() else None)


def _is_where_role_is(question: str, text: str, name: Span) -> bool:
    """Whether a question asks who has a role, and a name says of what: "mayor of Ulm"."""
    role = _ROLE_OF.search(text, max(0, name.start - 40), name.start) if _WHO.search(question) else None
    return role is not None and is_role(role["role"]) and stem(role["role"]) in content_words(question)


def is_place(question: str, text: str, name: Span) -> bool:
    """Whether a question asks where, and a name stands after a word such as "in" or "at", or after a colon.

    Example:
        >>> text = "The office of Ulm Bank is in Graz."
        >>> names = [Span(text.index(name), text.index(name) + len(name)) for name in ("Ulm Bank", "Graz")]
        >>> [is_place("Where is the office?", text, name) for name in names]
        [False, True]
    """
    if not _ASKS_PLACE.match(question):
        return False
    if _AT_WORK.search(question) and _EMPLOYED.search(text, max(0, name.start - 12), name.start):
        return True
    if text[max(0, name.start - 2) : name.start].strip() == ":":
        return True
    if _GIVEN.search(text, max(0, name.start - 60), name.start):
        return False
    placed = _PLACED.search(text, max(0, name.start - 40), name.start)
    return placed is not None and not any(map(is_role, placed["between"].split()))
