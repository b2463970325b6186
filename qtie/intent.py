"""What time a query asks for: constraints on documents' times, and a preference among them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from qtie.allen import AllenRelation
from qtie.display.html import framed, highlighted, lines_html, timeline_html
from qtie.display.timeline import timeline
from qtie.errors import ConfigError, IntentParseError, IntervalError
from qtie.interval import Granularity, TimeInterval, civil_date, merge_intervals, subtract_intervals

__all__ = [
    "IntentExtractor",
    "IntentOptions",
    "Preference",
    "Relation",
    "TemporalConstraint",
    "TemporalIntent",
]

Preference = Literal["latest", "earliest"]
Relation = AllenRelation | Literal["intersects"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentOptions:
    """How ambiguous time expressions are read; the values in force stand in every intent.

    Raises:
        ConfigError: a value outside its range.
    """

    date_order: Literal["mdy", "dmy"] = "mdy"
    """How 03/04/2023 is read where both orders fit: 4 March (mdy) or 3 April (dmy)."""
    week_start: int = 0
    """First day of a week: 0 is Monday, 6 Sunday."""
    fiscal_year_start: int = 1
    """Month in which a fiscal year starts, 1 to 12; the year is named by the one it ends in."""
    hemisphere: Literal["north", "south"] = "north"
    """Whose meteorological seasons are meant."""
    prefer: Literal["past", "future"] = "past"
    """Which of two equally near readings is taken ("this year" ends at the reference date under `past`)."""
    two_digit_pivot: int = 5
    """A two-digit year is the latest such year that is at most this many years after the reference year."""
    time_zone: str = "UTC"
    """The IANA zone that naive times are read in."""

    def __post_init__(self) -> None:
        for name, allowed in _ALLOWED.items():
            if getattr(self, name) not in allowed:
                choices = ", ".join(map(str, allowed))
                raise ConfigError(f"{name} must be one of {choices}, not {getattr(self, name)!r}")
        if not isinstance(self.two_digit_pivot, int) or not 0 <= self.two_digit_pivot <= 99:
            raise ConfigError(f"two_digit_pivot must be from 0 to 99, not {self.two_digit_pivot!r}")


_ALLOWED: dict[str, tuple[object, ...]] = {
    "date_order": ("mdy", "dmy"),
    "week_start": tuple(range(7)),
    "fiscal_year_start": tuple(range(1, 13)),
    "hemisphere": ("north", "south"),
    "prefer": ("past", "future"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalConstraint:
    """One interval that a query asks for (days, both ends included), and how a document's time must stand to it."""

    interval: TimeInterval | None
    """The days asked for; None when a time is meant but its date is not known."""
    raw: TimeInterval | None = None
    """The bounds as said, before a strict one moves by a day: "before 2019" has ../2019-01-01 here."""
    operator: str = "in"
    """The operator it was read by, such as "in", "before", "since"."""
    relation: Relation = "intersects"
    """How a document's own interval must stand to `interval`."""
    target: str = "any"
    """Which of a document's times is meant: any, start, end, or a facet such as published or born."""
    negated: bool = False
    span: tuple[int, int] = (0, 0)
    """The characters of the query that it was read from: first, and one after the last."""
    more_spans: tuple[tuple[int, int], ...] = ()
    """Further characters that it was read from, where its words do not stand together."""
    granularity: Granularity = Granularity.DAY
    """The unit it was given in."""
    confidence: float = 1.0
    """In [0, 1]."""
    readings: tuple[TimeInterval, ...] = ()
    """Further fair readings, in order."""
    rule: str = ""
    """The rule or model that read it."""

    @property
    def resolved(self) -> bool:
        """Whether its date is known."""
        return self.interval is not None

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record; `from_dict` takes it back."""
        return {
            "interval": self.interval and self.interval.to_dict(),
            "operator": self.operator,
            "relation": str(self.relation),
            "target": self.target,
            "negated": self.negated,
            "resolved": self.resolved,
            "span": list(self.span),
            "more_spans": [list(span) for span in self.more_spans],
            "granularity": str(self.granularity),
            "confidence": self.confidence,
            "readings": [str(reading) for reading in self.readings],
            "raw": self.raw and self.raw.to_dict(),
            "rule": self.rule,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "TemporalConstraint":
        """The constraint that `to_dict` wrote.

        Raises:
            IntentParseError: a field is missing or malformed.
        """
        try:
            relation = record.get("relation", "intersects")
            return cls(
                interval=_interval_from(record["interval"]),
                raw=_interval_from(record.get("raw")),
                operator=str(record.get("operator", "in")),
                relation="intersects" if relation == "intersects" else AllenRelation(relation),
                target=str(record.get("target", "any")),
                negated=bool(record.get("negated", False)),
                span=(int(record["span"][0]), int(record["span"][1])) if "span" in record else (0, 0),
                more_spans=tuple((int(span[0]), int(span[1])) for span in record.get("more_spans", ())),
                granularity=Granularity.parse(record.get("granularity", "day")),
                confidence=float(record.get("confidence", 1.0)),
                readings=tuple(TimeInterval.parse(reading) for reading in record.get("readings", ())),
                rule=str(record.get("rule", "")),
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
            raise IntentParseError(f"not a temporal constraint: {error!r}") from error


def _interval_from(record: Mapping[str, str | None] | None) -> TimeInterval | None:
    if record is None:
        return None
    start, end = record.get("start"), record.get("end")
    return TimeInterval(
        None if start is None else TimeInterval.parse(start).start,
        None if end is None else TimeInterval.parse(end).end,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalIntent:
    """The time a query asks for; atemporal (`not is_temporal`) when it asks for none.

    Example:
        >>> year = TemporalConstraint(interval=TimeInterval.year(2016), span=(4, 11))
        >>> intent = TemporalIntent(query="won in 2016", constraints=(year,))
        >>> str(intent.interval), intent.is_temporal, intent.highlight()
        ('2016-01-01/2016-12-31', True, 'won [in 2016]')
    """

    query: str
    constraints: tuple[TemporalConstraint, ...] = ()
    preference: Preference | None = None
    preference_span: tuple[int, int] | None = None
    """The characters of the query that state the preference, where it has words of its own."""
    reference_date: date | None = None
    """The day that "last year" was counted from."""
    semantic_query: str = ""
    """The query without the words that state the time; the query itself if nothing would be left."""
    extractor: str = ""
    """What read it: grammar, model, caller, …"""
    options: IntentOptions = field(default_factory=IntentOptions)

    def __post_init__(self) -> None:
        if not self.semantic_query:
            object.__setattr__(self, "semantic_query", self.query)

    @property
    def is_temporal(self) -> bool:
        """Whether it asks for a time: a resolved constraint or a preference."""
        return self.preference is not None or any(c.resolved for c in self.constraints)

    @property
    def by_target(self) -> dict[str, list[TemporalConstraint]]:
        """The resolved constraints of each target; any of one target suffices, all targets must hold."""
        resolved = sorted((c for c in self.constraints if c.resolved), key=lambda c: c.target)
        return {target: list(group) for target, group in groupby(resolved, key=lambda c: c.target)}

    @property
    def intervals(self) -> tuple[TimeInterval, ...]:
        """The alternatives minus what is negated, disjoint and in order; one hull across several targets."""
        alternatives = [alternatives_of(group) for group in self.by_target.values()]
        if len(alternatives) <= 1:
            return tuple(alternatives[0]) if alternatives else ()
        hulls = [(group[0].start, group[-1].end) for group in alternatives if group]
        starts = [start for start, _ in hulls if start is not None]
        ends = [end for _, end in hulls if end is not None]
        if starts and ends and min(starts) > max(ends):  # such as "started after 2010, ended before 2000"
            return ()
        return (TimeInterval(min(starts, default=None), max(ends, default=None)),) if hulls else ()

    @property
    def interval(self) -> TimeInterval | None:
        """The hull of `intervals`, the paper's ⟨t_start, t_end⟩; None when atemporal or nothing is left."""
        intervals = self.intervals
        return intervals[0].hull(intervals[-1]) if intervals else None

    def month_pair(self) -> tuple[str | None, str | None]:
        """The paper's label ⟨t_start, t_end⟩, each `YYYY-MM` or None, from the bounds as said."""
        positive = [c for c in self.constraints if c.raw is not None and not c.negated]
        pairs = [_raw_pair(constraint) for constraint in positive]
        starts = [start for start, _ in pairs]
        ends = [end for _, end in pairs]
        one_target = len({constraint.target for constraint in positive}) <= 1
        if one_target and (None in starts or None in ends):
            return (None if None in starts else _month(min(starts, default=None))), (  # type: ignore[type-var]
                None if None in ends else _month(max(ends, default=None))  # type: ignore[type-var]
            )
        known_starts = [start for start in starts if start is not None]
        known_ends = [end for end in ends if end is not None]
        return _month(min(known_starts, default=None)), _month(max(known_ends, default=None))

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The characters of the query that state the time, disjoint and in order."""
        raw = [span for c in self.constraints for span in (c.span, *c.more_spans) if span[1] > span[0]]
        if self.preference_span:
            raw.append(self.preference_span)
        merged: list[tuple[int, int]] = []
        for start, end in sorted(set(raw)):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return tuple(merged)

    def highlight(self, before: str = "[", after: str = "]") -> str:
        """The query with the words that state the time between `before` and `after`."""
        text, at = "", 0
        for start, end in self.spans:
            text += self.query[at:start] + before + self.query[start:end] + after
            at = end
        return text + self.query[at:]

    def explain(self) -> str:
        """One line per constraint, one for the preference, one for the options in force that shaped it."""
        return "\n".join(self._lines())

    def to_html(self, *more: str) -> str:
        """The query with its words about time in `<mark>`, then `explain()` and more lines; all text is escaped.

        Example:
            >>> TemporalIntent(query="R&D").to_html()
            '<p class="query">R&amp;D</p><p class="reading">asks for no time: the order stays as it is</p>'
        """
        query = f'<p class="query">{highlighted(self.query, self.spans)}</p>'
        return query + lines_html("reading", *self.explain().splitlines(), *more)

    def _repr_html_(self) -> str:
        """In a notebook: the query, what was read from it, and the asked intervals on a timeline."""
        asked = None if self.reference_date is None else self.reference_date.isoformat()
        drawn = timeline_html(timeline(self.intervals, [], reference_date=asked)) if self.is_temporal else ""
        return framed(self.to_html(), drawn)

    def _lines(self) -> Iterator[str]:
        for c in self.constraints:
            words = self.query[c.span[0] : c.span[1]]
            meaning = "a time whose date is not known" if c.interval is None else str(c.interval)
            notes = [] if c.target == "any" else [f"{c.target} of the document's time"]
            notes += [] if c.relation == "intersects" else [f"the document {c.relation} it"]
            notes += [f"or {reading}" for reading in c.readings]
            yield f'"{words}" → {"not " if c.negated else ""}{meaning}' + (f" ({'; '.join(notes)})" if notes else "")
        if self.preference:
            words = self.query[slice(*self.preference_span)] if self.preference_span else ""
            yield (f'"{words}" → ' if words else "") + f"the {self.preference} first"
        if not self.constraints and not self.preference:
            yield "asks for no time: the order stays as it is"
        else:
            options = "".join(f", {name} {value}" for name, value in self.options_in_force().items())
            yield f"read by {self.extractor or 'caller'}, reference date {self.reference_date or 'not given'}{options}"

    def options_in_force(self) -> dict[str, object]:
        """The reading options by name."""
        return {name: getattr(self.options, name) for name in IntentOptions.__dataclass_fields__}

    def to_dict(self) -> dict[str, Any]:
        """The record that `qtie intent` writes; `from_dict` takes it back."""
        return {
            "query": self.query,
            "interval": self.interval and self.interval.to_dict(),
            "intervals": [str(interval) for interval in self.intervals],
            "constraints": [constraint.to_dict() for constraint in self.constraints],
            "preference": self.preference,
            "preference_span": self.preference_span and list(self.preference_span),
            "month_pair": list(self.month_pair()),
            "semantic_query": self.semantic_query,
            "reference_date": self.reference_date and self.reference_date.isoformat(),
            "extractor": self.extractor,
            "options": self.options_in_force(),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "TemporalIntent":
        """The intent that `to_dict` wrote.

        Raises:
            IntentParseError: a field is missing or malformed.
        """
        try:
            preference, span = record.get("preference"), record.get("preference_span")
            if preference is not None and preference not in get_args(Preference):
                raise IntentParseError(f"preference must be latest, earliest or null, not {preference!r}")
            return cls(
                query=str(record["query"]),
                constraints=tuple(map(TemporalConstraint.from_dict, record.get("constraints", ()))),
                preference=preference,
                preference_span=(int(span[0]), int(span[1])) if span else None,
                reference_date=date.fromisoformat(record["reference_date"]) if record.get("reference_date") else None,
                semantic_query=str(record.get("semantic_query", "")),
                extractor=str(record.get("extractor", "")),
                options=IntentOptions(**record.get("options", {})),
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
            if isinstance(error, IntentParseError | IntervalError):
                raise
            raise IntentParseError(f"not a temporal intent: {error!r}") from error


@runtime_checkable
class IntentExtractor(Protocol):
    """Reads the time a query asks for; grammar, shipped model and language models all answer to it."""

    def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
        """The query's intent; without a `reference_date`, "last year" stays unresolved."""
        ...


def alternatives_of(constraints: list[TemporalConstraint]) -> list[TimeInterval]:
    """The union of one target's constraints minus the negated ones; all negated: the complement."""
    positive = [c.interval for c in constraints if c.interval is not None and not c.negated]
    negated = [c.interval for c in constraints if c.interval is not None and c.negated]
    start = merge_intervals(positive) if positive else [TimeInterval()]
    return subtract_intervals(start, negated)


def _raw_pair(constraint: TemporalConstraint) -> tuple[int | None, int | None]:
    """Start and end of the label in days; a pinned start or end gives only that side."""
    raw = constraint.raw
    assert raw is not None
    pinned = raw.start is not None and raw.end is not None
    if constraint.target == "start" and pinned:
        return raw.start, None
    if constraint.target == "end" and pinned:
        return None, raw.end
    return raw.start, raw.end


def _month(day: int | None) -> str | None:
    if day is None:
        return None
    year, month, _ = civil_date(day)
    return f"{year:05}-{month:02}" if year < 0 else f"{year:04}-{month:02}"
