"""Intents changed on purpose: read worse, read by a model that is still training, or without a part of what was read.

A change is a name of `INTENT_CHANGES` with its argument after a colon: `accuracy:0.8`, `without:relation`,
`predictions:step100.jsonl`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from qtie.errors import ConfigError, EvaluationError, QtieError
from qtie.evaluation.datasets import Query, read_query_lines
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval

__all__ = ["INTENT_CHANGES", "PARTS", "changed_intents", "is_right", "read_predictions"]

_MOST_YEARS = 5

Intents = Sequence[TemporalIntent]


def is_right(intent: TemporalIntent, query: Query) -> bool | None:
    """Whether the intent's interval is the one that the data states; None where the data states none.

    Example:
        >>> from qtie.intent import TemporalConstraint
        >>> asked = TemporalConstraint(interval=TimeInterval.year(2019))
        >>> intent = TemporalIntent(query="in 2019", constraints=(asked,))
        >>> is_right(intent, Query(query_id="q", text="in 2019", interval=TimeInterval.year(2019)))
        True
    """
    if query.atemporal:
        return not intent.is_temporal
    return None if query.interval is None else intent.interval == query.interval


def changed_intents(
    change: str, intents: Intents, queries: Sequence[Query], *, seed: int = 0
) -> tuple[TemporalIntent, ...]:
    """The intents of the same queries, changed.

    Args:
        change: such as `read` (unchanged), `accuracy:0.8`, `without:relation` or `predictions:FILE`.
        intents: as read, one a query.
        queries: with the intervals that the data states.
        seed: another one draws other errors.

    Raises:
        ConfigError: no such change.
        EvaluationError: a file of predictions that lacks a query.
    """
    name, _, argument = change.partition(":")
    if name not in INTENT_CHANGES:
        raise ConfigError(f"unknown change of intents {change!r}; one of {', '.join(INTENT_CHANGES)}")
    return INTENT_CHANGES[name](argument, intents, queries, seed)


def _read(_: str, intents: Intents, __: Sequence[Query], ___: int) -> tuple[TemporalIntent, ...]:
    return tuple(intents)


def _accuracy(argument: str, intents: Intents, queries: Sequence[Query], seed: int) -> tuple[TemporalIntent, ...]:
    """So many right ones spoiled that the share of right intents falls to the argument; lower shares spoil more.

    Of the queries whose interval is known and asked for; each spoiled intent is missed, moved by one to five years, or
    loses a bound, with equal chances. Where fewer are right to begin with, nothing is changed.
    """
    known = [i for i, query in enumerate(queries) if query.interval is not None]
    right = [i for i in known if is_right(intents[i], queries[i])]
    Random(seed).shuffle(right)
    n_spoiled = max(0, len(right) - round(_number(argument) * len(known)))
    changed = list(intents)
    for i in right[:n_spoiled]:
        draw = Random(f"{seed} {queries[i].query_id}")
        changed[i] = draw.choice((_missed, _moved, _opened))(intents[i], draw)
    return tuple(changed)


def _missed(intent: TemporalIntent, _: Random) -> TemporalIntent:
    return TemporalIntent(query=intent.query, reference_date=intent.reference_date)


def _moved(intent: TemporalIntent, draw: Random) -> TemporalIntent:
    n = draw.choice([sign * years for sign in (-1, 1) for years in range(1, _MOST_YEARS + 1)])
    return _with_intervals(intent, lambda interval: interval.shift(n, Granularity.YEAR))


def _opened(intent: TemporalIntent, draw: Random) -> TemporalIntent:
    """ "in 2019" taken for "since 2019" or "until 2019"; one that is open already is moved."""
    if intent.interval is None or None in (intent.interval.start, intent.interval.end):
        return _moved(intent, draw)
    if draw.random() < 0.5:
        return _with_intervals(intent, lambda interval: TimeInterval(interval.start, None))
    return _with_intervals(intent, lambda interval: TimeInterval(None, interval.end))


def _with_intervals(intent: TemporalIntent, change: Callable[[TimeInterval], TimeInterval]) -> TemporalIntent:
    constraints = (c if c.interval is None else replace(c, interval=change(c.interval)) for c in intent.constraints)
    return replace(intent, constraints=tuple(constraints))


def _without(part: str, intents: Intents, _: Sequence[Query], __: int) -> tuple[TemporalIntent, ...]:
    if part not in PARTS:
        raise ConfigError(f"unknown part of an intent {part!r}; one of {', '.join(PARTS)}")
    return tuple(PARTS[part](intent) for intent in intents)


def _without_relation(intent: TemporalIntent) -> TemporalIntent:
    return _with_constraints(intent, lambda c: replace(c, relation="intersects"))


def _without_facets(intent: TemporalIntent) -> TemporalIntent:
    return _with_constraints(intent, lambda c: replace(c, target="any"))


def _without_preference(intent: TemporalIntent) -> TemporalIntent:
    return replace(intent, preference=None, preference_span=None)


def _without_stripping(intent: TemporalIntent) -> TemporalIntent:
    return replace(intent, semantic_query=intent.query)


def _with_constraints(
    intent: TemporalIntent, change: Callable[[TemporalConstraint], TemporalConstraint]
) -> TemporalIntent:
    return replace(intent, constraints=tuple(map(change, intent.constraints)))


def read_predictions(path: str | Path) -> dict[str, TemporalIntent]:
    """What another reader made of queries, as `qtie intent -` writes it, by the query's text.

    Raises:
        EvaluationError: the file cannot be read, or a line is no intent; the message names the line.
    """
    read = {}
    for number, (fields, _) in enumerate(read_query_lines(path), start=1):
        try:
            read[fields["query"]] = TemporalIntent.from_dict(fields)
        except QtieError as error:
            raise EvaluationError(f"{path}: query {number}: not what `qtie intent -` writes: {error}") from None
    return read


def _predictions(path: str, intents: Intents, queries: Sequence[Query], _: int) -> tuple[TemporalIntent, ...]:
    """What another reader made of the same queries."""
    read = read_predictions(path)
    missing = [query.query_id for query in queries if query.text not in read]
    if missing:
        raise EvaluationError(f"{path}: no prediction for query {missing[0]!r} ({len(missing)} missing)")
    return tuple(read[query.text] for query in queries)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ConfigError(f"an accuracy lies in [0, 1], not {text!r}")
    return number


PARTS: dict[str, Callable[[TemporalIntent], TemporalIntent]] = {
    "stripping": _without_stripping,
    "facets": _without_facets,
    "relation": _without_relation,
    "preference": _without_preference,
}
"""What an intent can be left without."""

INTENT_CHANGES: dict[str, Callable[[str, Intents, Sequence[Query], int], tuple[TemporalIntent, ...]]] = {
    "read": _read,
    "accuracy": _accuracy,
    "without": _without,
    "predictions": _predictions,
}
"""The changes by name."""
