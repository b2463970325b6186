"""The lexicon as a rewriter: world events found in a question by their names, where they stand for a time."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache
from pathlib import Path

from qtie.rewriting.events import LexiconEvent, read_events, shipped_events
from qtie.rewriting.matching import EventIndex, Match
from qtie.rewriting.names import Token, tokens_of
from qtie.rewriting.rewriter import ResolvedEvent, Rewrite
from qtie.rewriting.wording import direction_before, direction_words, is_coordinated

__all__ = ["LexiconRewriter"]

_CONFIDENCE, _CHAINED_CONFIDENCE = 0.95, 0.9
_MAX_CHARACTERS = 2000
_LONG_DAYS = 180
"""What someone lived under lasted at least that long."""
_SENTENCE_WORDS = (
    "the an? and or but to until till through in on at by for with from as than who whom whose which what that when "
    "where why how did does do was were is are has have had will would could can should he she it they we i you his "
    "her its their our my there not no if after before since during while under between versus vs compared about "
    "onwards? forwards? only also still never ever alone itself up left became led won made took went came saw"
)
"""What may follow an event's name; any other word may belong to a longer name, of something else."""
_GOES_ON = re.compile(rf"[\s\"”’')\]]*(?:$|[,.;:?!)–—]|- |(?:{'|'.join(_SENTENCE_WORDS.split())}|\d{{4}})(?!\w))")
_NAMES_OTHERS = re.compile(
    r"(?i)\s+(?:museum|memorial|monument|veterans?|films?|movies?|book|novel|series|documentary|album|band|cemetery|"
    r"tour|club|society|foundation|library|center|centre|park|stadium|bridge|street|hall|kids|z|"
    r"remembrance|re-?enactment|exhibition)(?!\w)"
)
_DOCUMENT = re.compile(
    r"(?i)\b(?:treat(?:y|ies)|acts?|agreement|accords?|pact|declaration|amendment|constitution|carta|proclamation|"
    r"protocol|charter|theses|regulation|gdpr|edict|compromise|wade|plan|decision|peace of|project)\b"
)
_ERA = re.compile(r"(?i)\b(?:era|period|age|times|years|dynasty|term)$")
_ALL_TIME = re.compile(r"(?i)before,? during,? (?:and|or) after\s+(?:the\s+)?$")
_NAMED_DAY = re.compile(r"(?i)(?:day|days|monday|tuesday|wednesday|sunday|9/11)$")


class LexiconRewriter:
    """Puts the days of well-known events in their place: "during the 23rd Winter Olympics", "since Brexit".

    An event is one where a word before it says that it stands for a time (before, during, when, …), or where its name
    holds a year that an extractor would read ("the 2020 Olympics" were held in 2021). Parts of other names ("World War
    Z", "the Vietnam War Memorial"), quoted words and documents ("in the Treaty of Versailles") are left as they are.
    A name that fits several events ("Bush's presidency") is listed and not resolved.

    Args:
        events: the lexicon; by default what comes with the package.
        files: JSONL files of further events, whose names and labels mean what they say there and not what `events`
            say; a name that stands there with several dates is as ambiguous as any other.

    Raises:
        ConfigError: a file cannot be read.

    Example:
        >>> rewriter = LexiconRewriter()
        >>> rewriter.rewrite("who led France after the moon landing").rewritten
        'who led France after 20 July 1969'
        >>> print(rewriter.rewrite("during the term of the US president when the euro was introduced").events[0])
        "term of the US president when the euro was introduced" → 1993-01-20/2001-01-20 (lexicon: Bill Clinton presidency, by way of introduction of the euro)
        >>> [event.label for event in rewriter.rewrite("during Bush's presidency").candidates]
        ['George H. W. Bush presidency', 'George W. Bush presidency']
    """  # noqa: E501

    def __init__(self, events: Iterable[LexiconEvent] | None = None, *, files: Sequence[Path | str] = ()) -> None:
        self._index = _shipped_index() if events is None else EventIndex(events)
        if files:
            own = EventIndex(event for path in files for event in read_events(path))
            self._index = self._index.overridden_by(own)

    def rewrite(self, question: str, *, reference_date: date | None = None) -> Rewrite:
        """The question with the days of its events; what follows its first 2,000 characters is not looked at."""
        tokens = tokens_of(question[:_MAX_CHARACTERS])
        events: list[ResolvedEvent] = []
        candidates: list[ResolvedEvent] = []
        at = 0
        while at < len(tokens):
            match = self._index.match(tokens, at)
            at += 1
            goes_on = events and is_coordinated(question, events[-1].span[1], tokens[at - 1].start)
            if match is not None and _stands_for_a_time(question, tokens, match, goes_on=bool(goes_on)):
                meant = _resolved(question, tokens, match)
                (events if len(meant) == 1 else candidates).extend(meant)
                at = match.last
        reason = f"{candidates[0].text!r} fits {len(candidates)} events" if candidates else ""
        return Rewrite.of(question, events, candidates=candidates, reason=reason)


@lru_cache(maxsize=1)
def _shipped_index() -> EventIndex:
    return EventIndex(shipped_events())


def _resolved(question: str, tokens: Sequence[Token], match: Match) -> list[ResolvedEvent]:
    """The events that the words mean: one, or all that they may mean."""
    span = tokens[match.first].start, tokens[match.last - 1].end
    by_interval = {meaning.interval: meaning for meaning in match.meanings}
    return [
        ResolvedEvent(
            text=question[slice(*span)],
            span=span,
            label=meaning.label,
            interval=meaning.interval,
            source="lexicon",
            confidence=_CHAINED_CONFIDENCE if match.chained else _CONFIDENCE,
        )
        for meaning in by_interval.values()
    ]


def _stands_for_a_time(question: str, tokens: Sequence[Token], match: Match, *, goes_on: bool) -> bool:
    """Whether the words are an event's whole name and say what time is meant; as those before do, where it goes on."""
    start, end = tokens[match.first].start, tokens[match.last - 1].end
    text, after = question[start:end], question[end:]
    if re.match(r"['’]s?(?!\w)", after) or _NAMES_OTHERS.match(after) or _ALL_TIME.search(question[:start]):
        return False
    if re.search(r"[\"“‘]$", question[:start].rstrip()) and re.match(r"\s*[\"”’']", after):
        return False
    if direction_before(question, start) is None:
        has_year = bool(re.search(r"(?<!\d)[12]\d{3}(?!\d)", text)) and not match.chained
        return has_year or (goes_on and bool(_GOES_ON.match(after)))
    words = direction_words(question, start)
    return bool(words in ("pre", "post") or _GOES_ON.match(after)) and _fits(words, text, match)


def _fits(words: str, text: str, match: Match) -> bool:
    """Whether a word such as "in", "by" or "on" before an event's name speaks of its time."""
    if words == "of":  # "a history of the war", but "songs of the Victorian era"
        return bool(_ERA.search(text))
    if words == "by":  # "caused by the war", but "by the end of the war"
        return match.part != "whole"
    if words == "on":  # "books on the war", but "on D-Day"
        return match.part != "whole" or bool(_NAMED_DAY.search(text))
    if words in ("in", "from", "under", "at", "between") and _DOCUMENT.search(text):
        return False
    return words != "under" or all(meaning.interval.n_days >= _LONG_DAYS for meaning in match.meanings)
