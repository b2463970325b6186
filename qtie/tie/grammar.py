"""The grammar as an extractor: rules for English, exact in their arithmetic, refusing what they do not know."""

from dataclasses import replace
from datetime import date

from qtie.intent import IntentOptions, Preference, TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval
from qtie.tie.cascade import Skeleton, run_stage
from qtie.tie.en.clauses import CLAUSES, joined_bounds, of_their_year, paired, target_of
from qtie.tie.en.lone_years import without_doubtful
from qtie.tie.en.operators import OPERATIONS, RANGES
from qtie.tie.en.spelling import normalized
from qtie.tie.en.time_words import TIME_WORDS
from qtie.tie.semantic_query import semantic_query
from qtie.tie.timex import Timex
from qtie.tie.values import read_values, skeleton_of

__all__ = ["GrammarExtractor"]


class GrammarExtractor:
    """Reads English queries by rule; an `IntentExtractor` that needs no model.

    Example:
        >>> intent = GrammarExtractor().extract("who led the ministry three years before 2019")
        >>> print(intent.highlight(), "→", intent.interval, "|", intent.semantic_query)
        who led the ministry [three years before 2019] → 2016-01-01/2016-12-31 | who led the ministry
    """

    name = "grammar"

    def __init__(self, options: IntentOptions | None = None) -> None:
        self.options = options or IntentOptions()

    def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
        """The time that the query asks for; atemporal where no rule reads one.

        Args:
            query: the text as typed, of any length; what follows the first 2,000 characters is not read.
            reference_date: what "last year" counts from; without it such words stay unresolved.
        """
        text = query[:2000]
        constraints: list[TemporalConstraint] = []
        if TIME_WORDS.search(normalized(text)):
            skeleton = skeleton_of(text, reference_date=reference_date, options=self.options)
            read_values(skeleton)
            run_stage(skeleton, RANGES, once=True)
            run_stage(skeleton, OPERATIONS, once=True)
            run_stage(skeleton, CLAUSES)
            constraints = _constraints(skeleton)
        preference, preference_span, kept = _preference(constraints)
        removed = [span for c in kept if c.resolved for span in (c.span, *c.more_spans)] + (
            [preference_span] if preference_span else []
        )
        return TemporalIntent(
            query=query,
            constraints=tuple(paired(kept)),
            preference=preference,
            preference_span=preference_span,
            reference_date=reference_date,
            semantic_query=semantic_query(query, removed) if removed else query,
            extractor=self.name,
            options=self.options,
        )


def _constraints(skeleton: Skeleton) -> list[TemporalConstraint]:
    """The constraints left in a skeleton, with their spans, targets and rules."""
    found: list[TemporalConstraint] = []
    for at, char in enumerate(skeleton.text):
        node = skeleton.nodes.get(char)
        if node is None or isinstance(node, Timex):
            continue
        target = node.target if node.target != "any" else target_of(skeleton.text, at, goes_on=node.operator == "after")
        found.append(replace(node, span=skeleton.origins[at], target=target, rule=skeleton.rule_of[char]))
    found = of_their_year(found, skeleton.query)
    lone = without_doubtful(found, skeleton.query.lower(), [c.span for c in found])
    return _bounds_joined(lone)


def _bounds_joined(constraints: list[TemporalConstraint]) -> list[TemporalConstraint]:
    """A lone lower and a lone upper bound on one target, wherever they stand, as one constraint."""
    plain = [c for c in constraints if c.operator not in ("earliest", "latest", "current")]
    if len(plain) == 2 and (merged := joined_bounds(*plain)):
        rest = [c for c in constraints if c not in plain]
        return [*rest, replace(merged, span=plain[0].span, more_spans=(plain[1].span,), rule=plain[0].rule)]
    return constraints


def _preference(
    constraints: list[TemporalConstraint],
) -> tuple[Preference | None, tuple[int, int] | None, list[TemporalConstraint]]:
    """The preference, its words, and the constraints without those that only state it."""
    ordered = [c for c in constraints if c.operator in ("latest", "current", "earliest")]
    others = [c for c in constraints if c not in ordered]
    resolved = [c for c in others if c.resolved]
    if ordered:
        first = ordered[0]
        preference: Preference = "earliest" if first.operator == "earliest" else "latest"
        if resolved or first.interval == TimeInterval():
            return preference, first.span, others
        return preference, None, [first, *others]
    if any(c.operator == "as of" and c.resolved for c in others):
        return "latest", None, others
    return None, None, others
