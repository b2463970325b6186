"""A reader without a language model: the sentence that answers best, and in it the name, date or number asked for."""

import re
from collections.abc import Sequence

from qtie.rag.asked_time import answered_elsewhere
from qtie.rag.candidates import Candidate, ReadingWeights, candidates
from qtie.rag.passage import Asked, Passage
from qtie.rag.passage_text import PassageText, stated_time
from qtie.rag.reader import OnText, Quote, Reading
from qtie.rag.time_fits import TimeFits
from qtie.rag.wording.answer_kind import answer_kind, asks_whether
from qtie.rag.wording.asked_names import AskedNames
from qtie.rag.wording.sentences import Span
from qtie.rag.wording.succession import Neighbour, is_told_neighbour, neighbours
from qtie.rag.wording.words import content_words

__all__ = ["ExtractiveReader"]

_LEAST_SHARE = 0.8
"""Of the coverage of what is said of another time, that an answer in its place has."""
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")


class ExtractiveReader:
    r"""Finds the answer among the words of the passages.

    Each sentence (a title counts as one) is scored by the share c of the question's words in it and in its passage; a
    date, name, role or number in it further by how near the question's words stand (d characters), by how well the date
    next to it fits the time asked for, by its passage's rank r, from 1, and, asked who, by standing in a title (h = 1);
    a name by whether it looks like one of the sort asked for (s) and by the share q of its words that the question has;
    a number by what it counts (s too); a date or place by how far it is the asked event's (e, see `AskedEvent`); and
    all lose where their sentence lacks the noun that is asked of (n = 1):

    .. math:: S = \log c + w_t \log S_\text{temp} + w_r \log \frac{11}{10 + r} - w_d d + w_h h + w_s s - w_q q
        + w_e \log e - w_n n

    A question that asks for none of these (why, how, keywords) is answered with the sentence; one for yes or no with
    either before it, where an interval decides.

    Args:
        weights: how the signs are weighed.
        least_coverage: below that share of the question's words, in [0, 1], the passages do not answer.

    Example:
        >>> from qtie.document import Document
        >>> from qtie.rag.passage import passages_of
        >>> from qtie.tie.grammar import GrammarExtractor
        >>> question = "who led the ministry in 2016"
        >>> asked = Asked(question=question, intent=GrammarExtractor().extract(question))
        >>> text = "Elke Brandt led the ministry until 2014. In 2016 Jonas Weber led it."
        >>> reading = ExtractiveReader().read(asked, passages_of([Document(doc_id="a", text=text)], asked))
        >>> reading.answer, reading.quotes[0].text
        ('Jonas Weber', 'In 2016 Jonas Weber led it.')
    """

    name = "extractive"

    def __init__(self, *, weights: ReadingWeights | None = None, least_coverage: float = 0.3) -> None:
        self.weights = weights or ReadingWeights()
        self.least_coverage = least_coverage

    def read(self, asked: Asked, passages: Sequence[Passage], *, on_text: OnText | None = None) -> Reading:
        """The best answer, its sentence, and further sentences of other passages that say the same."""
        texts = [PassageText.of(passage, asked.question) for passage in passages]
        names = AskedNames.of(_without_times(asked), [text.text for text in texts])
        fits = TimeFits(asked, passages, texts)
        found: Sequence[Candidate] = [] if names.all_missing else candidates(asked, passages, texts, fits=fits)
        found = self._settled(found, passages)
        times = [fits.time_of(at) for at in range(len(texts))]
        next_ones = neighbours(asked.question, [text.text for text in texts], times)
        if next_ones is None:
            named = [each for each in found if not names.by_text or names.by_text[each.passage]]
            is_whether = asks_whether(asked.question)
            chosen, note = (self.best(named), "") if is_whether else self._of_that_time(named, passages, fits)
            chosen = _decided(chosen, fits) if is_whether and chosen else chosen
            if passages and asked.undated_event and answer_kind(asked.question) != "date":
                note = f"the time of {asked.undated_event!r} is not known"
        else:  # a passage about the next one need not have the name that the question has
            others = [each for each in found if not each.restated]
            told = [each for each in others if _is_told(each, asked, texts)]
            beside = told or [each for each in others if _is_beside(each, asked, texts, next_ones)]
            chosen, note = max(beside, key=lambda each: each.score(self.weights), default=None), ""
        if chosen is None:
            if texts and answer_kind(asked.question) == "date":
                note = note or "no passage says when that was"
            return Reading(answer=None, note=names.note or note)
        quotes = _quotes(chosen, found, texts, self.weights)
        if elsewhere := answered_elsewhere(quotes, passages, asked):
            return Reading(answer=None, note=elsewhere)
        if on_text:
            on_text(chosen.answer)
        confidence = chosen.coverage(self.weights) * chosen.fit
        return Reading(answer=chosen.answer, quotes=quotes, note=names.note or note, confidence=confidence)

    def _of_that_time(
        self, found: Sequence[Candidate], passages: Sequence[Passage], fits: TimeFits
    ) -> tuple[Candidate | None, str]:
        """The best candidate that its text does not say of another time; without one, of which the best is said."""
        best = self.best(found)
        elsewhere = fits.elsewhere(best.passage, best.sentence) if best else ""
        if best is None or not elsewhere:
            return best, ""
        least = _LEAST_SHARE * best.coverage(self.weights)
        others = [each for each in found if not fits.elsewhere(each.passage, each.sentence)]
        other = self.best([each for each in others if each.coverage(self.weights) >= least])
        return other, "" if other else f"{passages[best.passage].document.doc_id} says that of {elsewhere}"

    def _settled(self, found: Sequence[Candidate], passages: Sequence[Passage]) -> Sequence[Candidate]:
        """What is left without superseded passages; all, where what supersedes them has nothing of the asked kind."""
        left = [each for each in found if not passages[each.passage].superseded]
        best = max((each.coverage(self.weights) for each in found), default=0.0)
        best_left = max((each.coverage(self.weights) for each in left if each.is_of_kind), default=0.0)
        return left if best_left >= _LEAST_SHARE * best else found

    def best(self, found: Sequence[Candidate]) -> Candidate | None:
        """The candidate that answers best; None if none has words enough of the question."""
        covering = [each for each in found if each.coverage(self.weights) >= self.least_coverage]
        return max(covering, key=lambda each: each.score(self.weights), default=None)


def _is_told(each: Candidate, asked: Asked, texts: Sequence[PassageText]) -> bool:
    """Whether its sentence says that it came next to the one whom the question names."""
    return is_told_neighbour(asked.question, texts[each.passage].text, each.sentence, _span(each, texts))


def _span(each: Candidate, texts: Sequence[PassageText]) -> Span:
    start = texts[each.passage].text.find(each.answer, *each.sentence)
    return Span(start, start + len(each.answer))


def _is_beside(each: Candidate, asked: Asked, texts: Sequence[PassageText], next_ones: Sequence[int]) -> bool:
    """Whether it is of a passage whose time is next to the asked one's; without such, whether its date is."""
    if next_ones:
        return each.passage in next_ones
    text, span = texts[each.passage], _span(each, texts)
    dated, following = text.date_of(span, each.sentence), _next_date(asked, text)
    return following is not None and dated == (following, 0)


def _next_date(asked: Asked, text: PassageText) -> int | None:
    """The position of the interval of a text that comes next before or after that of the one whom a question names."""
    neighbour = Neighbour.of(asked.question)
    start = text.text.find(neighbour.name) if neighbour else -1
    sentence = next((each for each in text.sentences if each.start <= start < each.end), None)
    if neighbour is None or sentence is None:
        return None
    own = text.date_of(Span(start, start + len(neighbour.name)), sentence)
    times = [stated_time(text.text, date) for date in text.dates]
    starts = {at: time.interval.start for at, time in enumerate(times) if time.lasting}
    if own is None or (first := starts.get(own[0])) is None:
        return None
    sides = {at: start - first for at, start in starts.items() if start is not None and start != first}
    beyond = {at: abs(gap) for at, gap in sides.items() if (gap < 0) == neighbour.is_earlier}
    return min(beyond, key=beyond.__getitem__, default=None)


def _decided(chosen: Candidate, fits: TimeFits) -> Candidate:
    """The sentence that answers whether something is so, with yes or no before it where its time decides that."""
    is_so = fits.is_so(chosen.passage, chosen.sentence) if chosen.in_sentence == 1 else None
    return chosen if is_so is None else chosen._replace(answer=f"{'yes' if is_so else 'no'}: {chosen.answer}")


def _without_times(asked: Asked) -> str:
    """The question without the words for its time, where those cannot join the names around them."""
    words = set(content_words(asked.intent.semantic_query))
    return _WORD.sub(lambda match: match[0] if words.issuperset(content_words(match[0])) else "…", asked.question)


def _quotes(
    chosen: Candidate, found: Sequence[Candidate], texts: Sequence[PassageText], weights: ReadingWeights
) -> tuple[Quote, ...]:
    """The chosen sentence, then the best of each other passage that gives the same answer."""
    best = {chosen.passage: chosen}
    for each in sorted(found, key=lambda one: -one.score(weights)):
        if each.answer.lower() == chosen.answer.lower():
            best.setdefault(each.passage, each)
    return tuple(Quote(passage=at, text=texts[at].text[slice(*each.sentence)]) for at, each in best.items())
