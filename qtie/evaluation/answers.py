"""Measures of answers: is a gold answer in the text that a reader wrote, or among the answers that it ranked.

Names are compared without letter case, punctuation and articles; dates as intervals of days, so that "May 2012" is
2012-05, and at the granularity of the gold answer, so that 13 May 2012 is in it too. `strict` compares texts alone.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from qtie.document_time import parse_time
from qtie.errors import EvaluationError, IntervalError
from qtie.interval import TimeInterval

__all__ = [
    "answer_accuracy",
    "as_date",
    "dates_in",
    "exact_match",
    "hit",
    "hits_at_k",
    "normalized",
    "same_answer",
    "token_f1",
]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation + "–—’‘“”«»"))
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DATE = re.compile(  # the longest form first: a day is not read as its month
    rf"(?<![\w-])(?:\d{{4}}-\d\d(?:-\d\d)?(?:T[\d:]+Z?)?|\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH},?\s+\d{{4}}"
    rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|{_MONTH},?\s+\d{{4}}|\d{{4}})(?![\w-])",
    re.IGNORECASE,
)


def normalized(text: str) -> str:
    """The text as SQuAD's evaluation compares it: lower case, without punctuation, articles and needless spaces.

    Rajpurkar et al. (2016), "SQuAD: 100,000+ questions for machine comprehension of text".

    Example:
        >>> normalized("The  Beatles!")
        'beatles'
    """
    plain = unicodedata.normalize("NFKC", text).lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def exact_match(output: str, answers: Iterable[str]) -> float:
    """1 where the output is one of the gold answers once both are normalized, else 0."""
    return float(normalized(output) in {normalized(answer) for answer in _given(answers)})


def hit(output: str, answers: Iterable[str]) -> float:
    """1 where a gold answer is a substring of the output, letter case aside, else 0.

    Example:
        >>> hit("It was Angela Merkel, in 2005.", ["Merkel"]), hit("in May 2012", ["2012-05"])
        (1.0, 0.0)
    """
    said = output.casefold()
    return float(any(answer.casefold() in said for answer in _given(answers)))


def answer_accuracy(output: str, answers: Iterable[str]) -> float:
    """1 where a gold answer appears in the output as whole words, or as the same date however written, else 0.

    Example:
        >>> answer_accuracy("It was in May 2012.", ["2012-05"]), answer_accuracy("Germany", ["German"])
        (1.0, 0.0)
    """
    said, dates = f" {normalized(output)} ", list(dates_in(output))
    return float(any(_appears(answer, said, dates) for answer in _given(answers)))


def token_f1(output: str, answers: Iterable[str]) -> float:
    r"""The best harmonic mean of precision and recall of the output's words over the gold answers; SQuAD's F1.

    .. math:: F_1 = \max_g \frac{2 P_g R_g}{P_g + R_g}

    Returns:
        In [0, 1].

    Example:
        >>> round(token_f1("chancellor Angela Merkel", ["Angela Merkel", "Merkel"]), 3)
        0.8
    """
    return max(_f1(normalized(output).split(), normalized(answer).split()) for answer in _given(answers))


def hits_at_k(ranked: Sequence[str], answers: Iterable[str], k: int = 1, *, strict: bool = False) -> float:
    """1 where one of the first `k` answers is a gold answer, else 0.

    Args:
        ranked: answers, the best first.
        answers: all correct ones.
        k: how many are looked at, 1 or more.
        strict: compare texts as they stand, not names and dates.

    Raises:
        EvaluationError: no gold answer, or k below 1.

    Example:
        >>> hits_at_k(["Iraq", "May 2012"], ["2012-05"], 2), hits_at_k(["Iraq", "May 2012"], ["2012-05"], 1)
        (1.0, 0.0)
    """
    if k < 1:
        raise EvaluationError(f"k must be 1 or more, not {k!r}")
    gold = _given(answers)
    if strict:
        return float(any(given in gold for given in ranked[:k]))
    return float(any(same_answer(given, answer) for given in ranked[:k] for answer in gold))


def same_answer(given: str, answer: str) -> bool:
    """Whether an answer is the gold one: the same name, or a date that lies within the gold date.

    Example:
        >>> same_answer("the UN", "UN"), same_answer("13 May 2012", "2012-05"), same_answer("2012", "2012-05")
        (True, True, False)
    """
    asked = as_date(answer)
    if asked is None:
        return normalized(given) == normalized(answer)
    date = as_date(given)
    return date is not None and _within(date, asked)


def as_date(text: str) -> TimeInterval | None:
    """The days of a text that is nothing but a date, both ends included; None of any other.

    Example:
        >>> str(as_date("May 2012")), as_date("Boeing 747")
        ('2012-05-01/2012-05-31', None)
    """
    stripped = text.strip()
    return _interval(stripped) if _DATE.fullmatch(stripped) else None


def dates_in(text: str) -> Iterator[TimeInterval]:
    """The dates that stand in a text, in order: years, months and days, as ISO 8601 or written."""
    for match in _DATE.finditer(text):
        interval = _interval(match[0])
        if interval is not None:
            yield interval


def _interval(text: str) -> TimeInterval | None:
    try:
        time = parse_time(text)
    except IntervalError:  # a shape of digits that the calendar does not have
        return None
    return None if time is None else time.interval


def _appears(answer: str, said: str, dates: Sequence[TimeInterval]) -> bool:
    asked = as_date(answer)
    if asked is not None:
        return any(_within(date, asked) for date in dates)
    name = normalized(answer)
    return bool(name) and f" {name} " in said


def _within(date: TimeInterval, asked: TimeInterval) -> bool:
    return date.intersection(asked) == date


def _f1(said: list[str], gold: list[str]) -> float:
    shared = sum((Counter(said) & Counter(gold)).values())
    return 2 * shared / (len(said) + len(gold)) if shared else float(said == gold)


def _given(answers: Iterable[str]) -> list[str]:
    """The gold answers; a lone text would be read as its letters."""
    given = [answers] if isinstance(answers, str) else list(answers)
    if not given:
        raise EvaluationError("no gold answer to compare with")
    return given
