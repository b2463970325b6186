"""Which event a question asks the date of, and which of a text's dates is that event's."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qtie.focus_time import focus_time
from qtie.interval import TimeInterval, civil_date
from qtie.rag.passage import shown_interval
from qtie.rag.wording.clauses import clause_ends, clauses_between
from qtie.rag.wording.sentences import Span
from qtie.rag.wording.words import content_words
from qtie.stated_dates import StatedDate

__all__ = ["AskedEvent"]

_LEAST = 0.05
Side = Literal["start", "end"]

_EVENTS: tuple[tuple[Side | None, str], ...] = (
    ("start", r"born|births?|birth(?:day|date)"),
    ("end", r"die[sd]?|dying|deaths?|deceased|killed|murdered|assassinated|executed|pass(?:ed)? away"
     r"|perish(?:ed)?|drown(?:ed)?|suicide"),
    ("start", r"beg[aiu]n|begins|beginning|start(?:s|ed)?|commence[sd]?|br(?:ea|o)ke? out|outbreak"),
    ("end", r"end(?:s|ed|ing)?|finish(?:ed)?|conclude[sd]?|cease[sd]?"),
    ("start", r"found(?:ed|ing|ation)?|establish(?:ed|ment)?|creat(?:ed?|ion)|set up|form(?:ed)?|incorporated"),
    (None, r"releas(?:e[sd]?|ing)|c[ao]me out|publi(?:sh(?:e[sd])?|cation)|issued?"
     r"|premiered?|debut(?:ed)?|launch(?:ed)?"),
    (None, r"marr(?:y|ied|iage)|wed|wedding|wedded"),
    ("start", r"open(?:s|ed|ing)?|inaugurat(?:ed?|ion)"),
    ("end", r"clos(?:e[sd]?|ure|ing)|shut(?: down)?"),
    ("start", r"bec[ao]mes?|t(?:akes?|ook) (?:over|office|charge)|sworn in|elect(?:s|ed)?|appoint(?:s|ed)?|assume[sd]?"
     r"|joins?|joined"),
    ("end", r"left|leaves?|resign(?:s|ed|ation)?|step(?:s|ped)? down|retire[sd]?|retirement|quits?"),
    (None, r"buil[dt]|construct(?:ed|ion)|erected"),
    ("end", r"dissol(?:ved?|ution)|abolish(?:ed)?|disband(?:ed)?|repeal(?:ed)?|expired?"),
    (None, r"w[io]n|wins|victory"),
    (None, r"pass(?:ed)?|enact(?:ed)?|adopt(?:ed)?"),
    (None, r"sign(?:ed|ing)?|ratif(?:y|ied)"),
    ("start", r"(?:enter(?:s|ed)?|c[ao]mes?|go(?:es)?|went) into (?:force|effect)|t(?:akes?|ook) effect"
     r"|introduce[sd]?"),
)  # fmt: skip
"""Words that tell of one kind of event; and, where a range of dates is given, which of its ends is that event."""
_PATTERNS = tuple((side, re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)) for side, words in _EVENTS)
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")
_FACETS = {0: "born", 1: "died"}
_OPPOSITES = ((0, 1), (2, 3), (4, 12), (16, 12), (7, 8), (9, 10))
"""The rows of what begins something and of what ends it: a date said to be of the one is not of the other."""
_TAKES_OFFICE = 9
_BOUNDS = (2, 3, 9, 10)
"""The rows of what has a beginning and an end."""
_RELATIVE = re.compile(r"\b(?:wife|husband|father|mother|parents?|sons?|daughters?|brothers?|sisters?|widow|child)\b")


@dataclass(frozen=True, slots=True)
class AskedEvent:
    """The words of a question that say what happened, names left out.

    Example:
        >>> from qtie.stated_dates import stated_dates
        >>> text = "The Ulm Bank was founded in 1870, merged in 1931 and shut in 1999."
        >>> dates = stated_dates(text)
        >>> asked = AskedEvent.of("When did the Ulm Bank close?")
        >>> [(words, round(share, 2)) for words, share in asked.told(text, [Span(0, len(text))], dates).values()]
        [('1870', 0.33), ('1931', 0.5), ('1999', 1.0)]
    """

    kinds: tuple[int, ...]
    """The rows of the table of events that its words are of."""
    words: frozenset[str]
    """The stems of its other words."""
    said: frozenset[str] = frozenset()
    """The stems of its words that are of a row."""
    names: frozenset[str] = frozenset()
    """The stems of its names; a text that lacks them tells of something else."""
    facet: str | None = None
    """born or died, where it asks that of the one whom the text is about."""

    @classmethod
    def of(cls, question: str, *, of_holder: bool = False) -> "AskedEvent":
        """The event that a question names; that of taking office, where it asks who holds one and names none."""
        said = [match[0] for match in re.finditer(r"\d+(?:\.\d+)+|[^\W_][\w'’-]*", question)]
        plain = [word for at, word in enumerate(said) if at and not word[0].isupper() and not word.isdigit()]
        if question == question.lower():
            plain = said[1:]
        text = " ".join(plain)
        found = [(at, match[0]) for at, (_, kind) in enumerate(_PATTERNS) for match in kind.finditer(text)]
        words = {stem for word in plain for stem in content_words(word)}
        in_table = frozenset(stem for _, words_of_row in found for stem in content_words(words_of_row))
        words -= in_table | {"day", "date", "year", "month"}
        names = frozenset(stem for word in said[1:] if word[0].isupper() for stem in content_words(word))
        facets = [_FACETS[at] for at, _ in found if at in _FACETS]
        kinds = tuple(dict.fromkeys(at for at, _ in found)) or ((_TAKES_OFFICE,) if of_holder else ())
        return cls(
            kinds, frozenset(words), in_table, names, facets[0] if facets and not _RELATIVE.search(text) else None
        )

    @property
    def side(self) -> Side | None:
        """Which end of a range is the event; None where the range is."""
        return next((side for at in self.kinds if (side := _EVENTS[at][0])), None)

    @property
    def bound(self) -> Side | None:
        """Which end of the time of what is told is asked for: when something began or ended, when one came or left."""
        return next((_EVENTS[at][0] for at in self.kinds if at in _BOUNDS), None)

    def told(self, text: str, sentences: Sequence[Span], dates: Sequence[StatedDate]) -> dict[Span, tuple[str, float]]:
        """For each date of a text the words that answer, and how far it is the event's, in (0, 1].

        That is the more the fewer clauses part it from the event's words; and what the text states as the birth or
        death of the one whom it is about is the event's where that is asked, and any other date hardly. Dates that the
        text states for the opposite are left out: the birth of one whose death is asked, the opening of what closed;
        and where a birth or death is asked of which the text says nothing, all are.
        """
        of_facet = self._facet_times(text)
        if self.facet and not of_facet and not self.restated(text):
            return {}
        of_other = self._facet_times(text, opposite=True) - of_facet
        of_names = len(self.names.intersection(content_words(text))) / len(self.names) if self.names else 1.0
        found = {}
        for sentence in sentences:
            inner = [date for date in dates if sentence.start <= date.start and date.end <= sentence.end]
            for date in inner:
                span = Span(date.start, date.end)
                share = self.nearness(text, sentence, span, inner, ends=bool(date.range)) * (0.3 if of_facet else 1.0)
                if of_facet & {date.interval, date.first, date.last}:
                    share = 1.0
                elif date.interval in of_other or (not date.range and self.is_of_opposite(text, sentence, span, inner)):
                    continue
                found[span] = (self._answer(text, date), max(_LEAST, share * of_names))
        return found

    def restated(self, text: str) -> frozenset[str]:
        """The stems of the question's words for the event, where the text has other words for it; else none."""
        return self.said if any(_PATTERNS[at][1].search(text) for at in self.kinds) else frozenset()

    def nearness(
        self,
        text: str,
        sentence: Span,
        place: Span | None = None,
        dates: Sequence[StatedDate] = (),
        *,
        ends: bool = False,
    ) -> float:
        """How near the event's words stand to a place of the text, or whether its sentence has them at all, in (0, 1].

        Those of the table of events count three times, and so does the number of a version.

        Args:
            text: the passage.
            sentence: where to look.
            place: a date or a name; None: anywhere.
            dates: those of the sentence.
            ends: whether the place is a range of dates, whose ends tell of a beginning and an end.
        """
        total = 3 * len(self.kinds) + sum(_weight(word) for word in self.words)
        nearest: dict[str, float] = {}
        clauses = clause_ends(text, sentence, dates) if place else []
        for word, at in self.places(text, sentence):
            n_between = clauses_between(clauses, at, place) if place else 0
            nearest[word] = max(nearest.get(word, 0.0), 1 / (1 + n_between))
        if ends and self.side:  # its end tells what happened then
            nearest.update({f"{at}": 1.0 for at in self.kinds if f"{at}" not in nearest})
        near = sum(each * _weight(word) for word, each in nearest.items())
        return max(_LEAST, near / total) if total else 1.0

    def is_of_opposite(self, text: str, sentence: Span, place: Span, dates: Sequence[StatedDate]) -> bool:
        """Whether the clause of a place has words for the opposite of the asked event, and none for the event."""
        ends = clause_ends(text, sentence, dates)
        clause = (
            max((end for end in ends if end < place.start), default=sentence.start),
            min((end for end in ends if end >= place.end), default=sentence.end),
        )
        opposites = [row for pair in _OPPOSITES for row, other in (pair, pair[::-1]) if other in self.kinds]
        said = [any(_PATTERNS[at][1].search(text, *clause) for at in kinds) for kinds in (opposites, self.kinds)]
        return said == [True, False]

    def _facet_times(self, text: str, *, opposite: bool = False) -> frozenset[TimeInterval | None]:
        """The days that a text states for the asked birth or death of the one whom it is about, or for the other."""
        facet = {"born": "died", "died": "born"}.get(self.facet or "") if opposite else self.facet
        found = focus_time(text).get(facet, ()) if facet else ()
        return frozenset(time.interval for time in found)

    def _answer(self, text: str, date: StatedDate) -> str:
        """The words of the date; of a range, those of the end that is asked for."""
        words = text[date.start : date.end]
        side = self.side
        if not date.range or side is None or (side == "end" and date.last is None):
            return words
        parts = re.split(
            r"\s*(?:\s[-–—]+\s|[–—]|(?<=\d{4})-(?=\d{4})|\b(?:to|through|thru|until|till|and)\b)\s*", words
        )
        part, interval = (parts[0], date.first) if side == "start" else (parts[-1], date.last)
        day = date.interval.start if side == "start" else date.interval.end
        if date.first == date.last and day is not None:  # "1994–99", "2–4 May 2005"
            return f"{civil_date(day)[0]}" if date.form == "years" else shown_interval(TimeInterval(day, day))
        is_whole = len(parts) == 2 and re.search(r"\d{3}", part)
        return part if is_whole or interval is None else shown_interval(interval)

    def places(self, text: str, sentence: Span) -> list[tuple[str, Span]]:
        """Where in a sentence the event's words stand, each with the row or the word that it is for."""
        in_table = [
            (f"{at}", Span(*match.span())) for at in self.kinds for match in _PATTERNS[at][1].finditer(text, *sentence)
        ]
        others = (
            (match, self.words.intersection(content_words(match[0]))) for match in _WORD.finditer(text, *sentence)
        )
        return in_table + [(min(stems), Span(*match.span())) for match, stems in others if stems]


def _weight(word: str) -> int:
    """What a row of the table or another word counts, as `places` names them."""
    return 3 if word[0].isdigit() else 1
