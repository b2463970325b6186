"""One sample: a program drawn, worded, carried by a sentence, made noisy, and checked against the value reader.

The label is the program. A sample is dropped, and its cause counted, where a value of the program is not a candidate
of its query or where the program, executed over the reader's candidates, gives other days than over its own values.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from random import Random
from typing import Any

from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.tie.dataset.compositions import draw_program
from qtie.tie.dataset.marked import Marked, expanded, filled
from qtie.tie.dataset.negatives import draw_negative, draw_noun
from qtie.tie.dataset.noise import noisy
from qtie.tie.dataset.programs import Draw, Planned, Worded
from qtie.tie.dataset.wording import Split, carriers, fillers
from qtie.tie.program import Candidate, Step, candidates, execute
from qtie.tie.timex import widened

__all__ = ["Dropped", "Sample", "draw_sample", "intervals_of"]

MIXED_SHARE = 0.2
_KINDS = {"any": "cn", "post": "n", "pre": "p"}


@dataclass(frozen=True, slots=True)
class Dropped:
    """Why a sample is not used, and the words that were at fault."""

    cause: str
    words: str
    query: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A query and its label, as `record` writes it."""

    record: dict[str, Any]


def draw_sample(rng: Random, split: Split, *, negative: bool) -> Sample | Dropped:
    """A query with a program, or a query that asks for no time."""
    reference = date.fromordinal(rng.randint(date(2015, 1, 1).toordinal(), date(2028, 12, 31).toordinal()))
    if negative:
        text, kind, family = draw_negative(rng, split)
        marked = noisy(Marked(text, {}), rng) if rng.random() < 0.6 else Marked(text, {})
        return Sample(
            _record(
                marked.text,
                reference,
                [],
                [],
                None,
                kind=f"no time: {kind}",
                family=family,
                carrier=family,
                split=split,
            )
        )
    worded = draw_program(Draw(rng, reference, split))
    mixed = worded.position != "pre" and not worded.carriers and rng.random() < MIXED_SHARE
    kinds = "m" if mixed else worded.carriers or _KINDS[worded.position]
    carrier = rng.choice(carriers(kinds, split))
    slots: dict[str, Marked | str] = {name: rng.choice(options) for name, options in fillers().items()}
    slots |= {"T": worded.marked, "P": Marked(worded.preference_word, {"pref": (0, len(worded.preference_word))})}
    kind = worded.kind
    if mixed:
        noun, noun_kind = draw_noun(rng, split)
        slots["N"] = noun
        kind = f"{kind} beside {noun_kind}"
    marked = noisy(filled(expanded(carrier.template, rng), slots), rng)
    return _aligned(marked, replace(worded, kind=kind), reference, carrier.template, split)


def _aligned(marked: Marked, worded: Worded, reference: date, carrier: str, split: Split) -> Sample | Dropped:
    """The sample, if every value of the program stands in the query as the reader reads it."""
    query = marked.text
    found = candidates(query, reference_date=reference)
    steps = [Step(operator="none")] * len(found)
    for planned in worded.steps:
        at = _candidate_of(planned, marked, found)
        if at is None:
            return Dropped("no candidate", _words(marked, planned), query)
        steps[at] = _step(query, planned, found[at], marked.marks[f"p{planned.index}"])
    meant = intervals_of(query, _meant(marked, worded, reference))
    read = intervals_of(query, execute(found, steps, reference_date=reference))
    if [str(i) for i in meant] != [str(i) for i in read]:
        return Dropped("other days", " + ".join(_words(marked, planned) for planned in worded.steps), query)
    pairs = [(c, s) for c, s in zip(found, steps, strict=True) if s.operator != "none"]
    preference = (worded.preference, marked.marks.get("pref")) if worded.preference else None
    return Sample(_record(query, reference, pairs, [str(i) for i in read], preference, kind=worded.kind,
                          family=worded.family, carrier=carrier, split=split))  # fmt: skip


def _words(marked: Marked, planned: Planned) -> str:
    return marked.text[slice(*marked.marks[f"c{planned.index}"])]


def _candidate_of(planned: Planned, marked: Marked, found: Sequence[Candidate]) -> int | None:
    """The candidate that is the value's very words, or these and words of its phrase ("the", "circa")."""
    start, end = marked.marks[f"c{planned.index}"]
    outer_start, outer_end = marked.marks[f"p{planned.index}"]
    text = marked.text[start:end].lower()
    start += len(text) - len(text.removeprefix("the").lstrip()) if text.startswith("the ") else 0
    fitting = [
        at
        for at, c in enumerate(found)
        if c.is_duration == (planned.duration is not None)
        and min(start, outer_start) <= c.start <= start
        and end <= c.end <= max(end, outer_end)
    ]
    fitting = [at for at in fitting if found[at].start >= outer_start or text.startswith("the ")]
    return fitting[0] if len(fitting) == 1 else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the spaces and commas at its ends."""
    words = text[start:end]
    return start + len(words) - len(words.lstrip(" ,")), end - len(words) + len(words.rstrip(" ,"))


def _step(text: str, planned: Planned, candidate: Candidate, phrase: tuple[int, int]) -> Step:
    operator = planned.operator
    read, meant = candidate.timex, planned.value
    if operator == "around" and read and meant and read.interval == widened(meant.timex).interval:
        operator = "in"  # "circa" is part of the value that the reader reads
    covering = _trimmed(text, min(phrase[0], candidate.start), max(phrase[1], candidate.end))
    return Step(operator=operator, role=planned.role, target=planned.target, negated=planned.negated, phrase=covering)


def _meant(marked: Marked, worded: Worded, reference: date) -> list[TemporalConstraint]:
    """The program over its own values."""
    pairs = []
    for planned in worded.steps:
        start, end = marked.marks[f"c{planned.index}"]
        value, duration = planned.value, planned.duration
        candidate = Candidate(start, end, timex=value.timex if value else None)
        if duration:
            candidate = Candidate(start, end, n=duration.n, unit=duration.unit)
        step = Step(operator=planned.operator, role=planned.role, target=planned.target, negated=planned.negated,
                    phrase=marked.marks[f"p{planned.index}"])  # fmt: skip
        pairs.append((candidate, step))
    pairs.sort(key=lambda pair: pair[0].start)
    return execute([c for c, _ in pairs], [s for _, s in pairs], reference_date=reference)


def intervals_of(query: str, constraints: Sequence[TemporalConstraint]) -> tuple[object, ...]:
    """The intervals that the constraints ask for together."""
    return TemporalIntent(query=query, constraints=tuple(constraints)).intervals


def _record(
    query: str, reference: date, pairs: Sequence[tuple[Candidate, Step]], intervals: list[str],
    preference: tuple[str | None, tuple[int, int] | None] | None, **about: str,
) -> dict[str, Any]:  # fmt: skip
    steps = [
        {"span": [c.start, c.end], "operator": s.operator, "role": s.role, "target": s.target, "negated": s.negated,
         "phrase": list(s.phrase or (c.start, c.end))}
        for c, s in pairs
    ]  # fmt: skip
    return {
        "query": query,
        "reference_date": reference.isoformat(),
        "steps": steps,
        "preference": preference and preference[0],
        "preference_span": list(preference[1]) if preference and preference[1] else None,
        "intervals": intervals,
        **about,
    }
