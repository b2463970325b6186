"""Why the facts that were found may not answer a question."""

import re
from collections.abc import Sequence

from qtie.intent import TemporalIntent
from qtie.tkg.answer import RankedFact, answers_of
from qtie.tkg.fact import side_of
from qtie.tkg.matching import Sought
from qtie.tkg.predicate import PredicateReading
from qtie.tkg.question import TkgQuestion

__all__ = ["doubts_of", "said_often", "unknown_name"]

_OFTEN = re.compile(
    r"(?i)\b(?:(?:at\s+(?:least|most)|(?:more|less)\s+than|exactly|only|just)\s+once|twice|thrice|repeatedly"
    r"|(?:two|three|four|five|six|seven|eight|nine|ten|\d+|several|many|multiple)\s+(?:different\s+)?(?:times|occasions)"
    r"|(?:more|most|least)\s+(?:often|frequently|times))\b"
)


def doubts_of(
    question: TkgQuestion,
    sought: Sought,
    *,
    asked: TemporalIntent,
    facts: Sequence[RankedFact],
    predicate: PredicateReading,
) -> list[str]:
    """The reasons, in sentences; all empty where the facts answer the question.

    Args:
        question: what is asked.
        sought: what its main clause says of facts.
        asked: the time that they must be of.
        facts: the best first.
        predicate: how the words for it stand to that of the best.
    """
    if not any(mention.entities for mention in sought.mentions):
        return ["the question names no entity of the graph"]
    if not facts or facts[0].supports == "event":
        return ["no fact fits"]
    unknown = unknown_name(sought.words, question.text)
    is_bare = question.asks == "entity" and not predicate.is_said
    best = facts[0].fact.interval
    if best and question.side and facts[0].fact.lasting:
        best = side_of(best, question.side)
    is_late = asked.interval and best and not any(best.overlaps(interval) for interval in asked.intervals)
    is_endless = question.asks == "date" and best is not None and not answers_of(facts[:1], question)
    return [
        f'the graph knows no "{unknown}"' if unknown else "",
        "the question names no predicate" if is_bare else "",
        predicate.doubt,
        "no fact that fits is of the asked time" if is_late else "",
        "the fact that fits goes on" if is_endless else "",
    ]


def said_often(text: str) -> str:
    """The words that say how often it was so; empty where none do.

    Example:
        >>> said_often("Who won more than once?"), said_often("Who visited Iraq twice?"), said_often("Who was once X?")
        ('more than once', 'twice', '')
    """
    said = _OFTEN.search(text)
    return said[0] if said else ""


def unknown_name(words: str, question: str) -> str:
    """A word for the predicate that is written as a name, acronyms and the question's first word aside.

    Example:
        >>> unknown_name("visit Mars", "Did Obama visit Mars?"), unknown_name("Considering of", "Considering X: who …")
        ('Mars', '')
    """
    names = re.findall(r"\b[A-Z][a-zà-ÿ][\w-]*", words)
    return next((name for name in names if not question.lstrip().startswith(name)), "")
