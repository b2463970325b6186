"""The head noun of a question: what it asks the amount, the sort or the state of."""

import re

from qtie.rag.wording.roles import is_role
from qtie.rag.wording.words import content_words, is_past

__all__ = ["asked_nouns", "head_noun"]

_ARTICLE = r"(?:the|an?|one|its|their|his|her|(?:[\w.&-]+ ){0,3}?[\w.&-]+(?:['’]s|s['’])) "
_PHRASE = re.compile(
    rf"\W*(?:what(?:['’]s| is| are| was| were)? (?:{_ARTICLE})|(?:how much|what) (?:do|does|did) {_ARTICLE}"
    rf"|how (?:much|high|big|large|old|tall)(?: is| are| was| were) (?:{_ARTICLE})?)(?P<words>[^?.,;:]*)",
    re.IGNORECASE,
)
_MANY = re.compile(r"\W*how many (?P<words>[^?.,;:]*)", re.IGNORECASE)
_PHRASE_END = re.compile(
    r"\b(?:of|in|on|at|for|to|from|with|by|per|and|or|that|which|who|before|after|during|when|as|now|today|currently"
    r"|is|are|was|were|do|does|did|has|have|had|will|would|can|could|cost|weigh|measure|earn|pay|get|charge|rise)\b"
)
_LOWER = re.compile(r"[^\W\d_A-Z][\w'’-]*")


def head_noun(question: str) -> str:
    """The stem of the noun whose amount or state is asked for; empty where the question names none.

    Example:
        >>> questions = ["How much was the annual toll in 2019?", "What did a day ticket cost?"]
        >>> questions += ["How many books came?", "How many people died in Ulm?", "What was Ulm City's revenue?"]
        >>> [head_noun(question) for question in questions]
        ['toll', 'ticket', 'book', 'peopl', 'revenu']
    """
    many, phrase = _MANY.match(question), _PHRASE.match(question)
    match = many or phrase
    if match is None:
        return ""
    words = match["words"]
    end = _PHRASE_END.search(words)
    inner = words[: end.start()] if end else words
    said = [word for word in inner.split() if _LOWER.match(word)]
    while many and len(said) > 1 and is_past(said[-1]):  # what they did
        said.pop()
    nouns = [stem for word in said for stem in content_words(word)]
    return (nouns[0] if many and end is None else nouns[-1]) if nouns else ""


def asked_nouns(question: str) -> frozenset[str]:
    """The stems of the noun that is asked of, or of the roles that a question names.

    Example:
        >>> sorted(asked_nouns("Who was coach of Ulm City?")), sorted(asked_nouns("What is the toll in Ulm?"))
        (['coach'], ['toll'])
    """
    roles = (word for word in re.findall(r"[^\W\d_]+", question) if is_role(word))
    return frozenset(stem for word in (*roles, head_noun(question)) for stem in content_words(word))
