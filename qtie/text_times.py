"""Times that a query asks about and a document's metadata lacks, read from its text only when they are needed."""

from datetime import date

from qtie.document import Document
from qtie.intent import IntentOptions, TemporalIntent
from qtie.interval import TimeInterval

__all__ = ["asked_facets", "with_estimated_time", "with_text_facets"]

_DEFAULT = IntentOptions()


def with_estimated_time(document: Document, *, options: IntentOptions = _DEFAULT) -> Document:
    """The document with times read from its text, where its metadata has none; `options` say how 3/4/2010 is read."""
    from qtie.focus_time import with_focus_times  # its rules take a while to compile, and few rankings need them

    return document if document.times else with_focus_times(document, options=options)


def asked_facets(intent: TemporalIntent, *, reference_date: date | None = None) -> frozenset[str]:
    """The facets that the intent asks for by name, such as born; the focus time, where it asks for the future.

    Of a time after the reference date ("population in 2050") a document can only speak.
    """
    targets = {constraint.target for constraint in intent.constraints if constraint.resolved}
    today = TimeInterval.from_dates(reference_date or intent.reference_date, None).start
    interval = intent.interval
    future = interval is not None and interval.start is not None and today is not None and interval.start > today
    return frozenset(targets - {"any", "start", "end", "validity"} | ({"focus_time"} if future else set()))


def with_text_facets(document: Document, facets: frozenset[str], *, options: IntentOptions = _DEFAULT) -> Document:
    """The document with those of `facets` that its metadata lacks read from its text; `options` as above."""
    lacking = facets - document.times.keys()
    if not lacking:
        return document
    from qtie.focus_time import focus_time  # as above

    read = focus_time(document.text, title=document.title, options=options)
    if "event" in read:
        read["focus_time"] = read["event"]
    found = {facet: read[facet] for facet in lacking if facet in read}
    return document.with_times({**document.times, **found}) if found else document
